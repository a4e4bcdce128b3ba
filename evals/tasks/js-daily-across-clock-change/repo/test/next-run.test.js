import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agenda } from '../src/agenda.js';
import { nextRun } from '../src/next-run.js';

const at = (text) => Date.parse(text);
const iso = (ms) => new Date(ms).toISOString().slice(0, 16);
const berlin = (hour, minute) => ({ hour, minute, zone: 'Europe/Berlin' });

test('later today', () => {
  assert.equal(iso(nextRun(berlin(7, 30), at('2026-01-10T05:00:00Z'))), '2026-01-10T06:30');
});

test('tomorrow when it is now', () => {
  assert.equal(iso(nextRun(berlin(7, 30), at('2026-01-10T06:30:00Z'))), '2026-01-11T06:30');
});

test('across the change in spring', () => {
  assert.equal(iso(nextRun(berlin(7, 30), at('2026-03-28T12:00:00Z'))), '2026-03-29T05:30');
});

test('an agenda', () => {
  assert.deepEqual(agenda(['07:30 Europe/Berlin a', '07:30 UTC b'], at('2026-01-10T00:00:00Z'), 3).map(({ name }) => name), ['a', 'b', 'a']);
});
