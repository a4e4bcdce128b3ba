import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agenda } from './src/agenda.js';
import { nextRun } from './src/next-run.js';

const at = (text) => Date.parse(text);
const iso = (ms) => new Date(ms).toISOString().slice(0, 19);
const next = (hour, minute, zone, now) => iso(nextRun({ hour, minute, zone }, at(now)));

test('ordinary days', () => {
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-07-10T05:29:59.999Z'), '2026-07-10T05:30:00');
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-07-10T05:30:00.000Z'), '2026-07-11T05:30:00');
  assert.equal(next(0, 0, 'Europe/Berlin', '2026-12-31T12:00:00Z'), '2026-12-31T23:00:00');
  assert.equal(next(23, 59, 'Pacific/Auckland', '2026-12-31T10:59:30Z'), '2027-01-01T10:59:00');
  assert.equal(next(6, 0, 'Asia/Kolkata', '2026-02-28T00:30:00Z'), '2026-03-01T00:30:00');
});

test('across the changes', () => {
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-03-28T12:00:00Z'), '2026-03-29T05:30:00');
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-03-29T00:30:00Z'), '2026-03-29T05:30:00');
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-10-24T12:00:00Z'), '2026-10-25T06:30:00');
  assert.equal(next(7, 30, 'Europe/Berlin', '2026-10-25T00:30:00Z'), '2026-10-25T06:30:00');
  assert.equal(next(23, 30, 'America/New_York', '2026-03-08T04:45:00Z'), '2026-03-09T03:30:00');
});

test('a time that does not exist', () => {
  assert.equal(next(2, 30, 'Europe/Berlin', '2026-03-28T12:00:00Z'), '2026-03-29T01:00:00');
  assert.equal(next(2, 0, 'Europe/Berlin', '2026-03-28T12:00:00Z'), '2026-03-29T01:00:00');
  assert.equal(next(2, 30, 'Europe/Berlin', '2026-03-29T01:00:00Z'), '2026-03-30T00:30:00');
  assert.equal(next(2, 15, 'Australia/Lord_Howe', '2026-10-03T00:00:00Z'), '2026-10-03T15:30:00');
  assert.equal(next(2, 30, 'America/New_York', '2026-03-08T06:59:59Z'), '2026-03-08T07:00:00');
});

test('a time that comes twice', () => {
  assert.equal(next(2, 30, 'Europe/Berlin', '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00');
  assert.equal(next(2, 30, 'Europe/Berlin', '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00');
  assert.equal(next(2, 30, 'Europe/Berlin', '2026-10-25T01:00:00Z'), '2026-10-26T01:30:00');
  assert.equal(next(1, 30, 'America/New_York', '2026-11-01T05:00:00Z'), '2026-11-01T05:30:00');
});

test('a year of days, each once', () => {
  let now = at('2026-01-01T00:00:00Z');
  const days = new Set();
  for (let i = 0; i < 365; i += 1) {
    now = nextRun({ hour: 2, minute: 30, zone: 'Europe/Berlin' }, now);
    days.add(iso(now).slice(0, 10));
  }
  assert.equal(days.size, 365);
  assert.equal(iso(now).slice(0, 10), '2026-12-31');
});

test('the agenda', () => {
  const runs = agenda(['02:30 Europe/Berlin x', '01:00 UTC y'], at('2026-03-28T12:00:00Z'), 4);
  assert.deepEqual(runs.map((run) => `${run.name} ${iso(run.at)}`), ['x 2026-03-29T01:00:00', 'y 2026-03-29T01:00:00', 'x 2026-03-30T00:30:00', 'y 2026-03-30T01:00:00']);
});
