import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '../src/duration.js';
import { keep } from '../src/retention.js';

test('reads a single unit', () => {
  assert.equal(parseDuration('90s'), 90_000);
  assert.equal(parseDuration('250ms'), 250);
});

test('reads several units', () => {
  assert.equal(parseDuration('1h 30m'), 5_400_000);
});

test('reads days', () => {
  assert.equal(parseDuration('2d'), 172_800_000);
});

test('refuses what it does not know', () => {
  assert.throws(() => parseDuration('3q'), /unknown unit: q/);
  assert.throws(() => parseDuration(''), /empty/);
});

test('formats', () => {
  assert.equal(formatDuration(5_400_000), '1h 30m');
  assert.equal(formatDuration(0), '0ms');
});

test('keeps what is young enough', () => {
  const entries = [{ at: 5000 }, { at: 1000 }, { at: 9000 }];
  assert.deepEqual(keep(entries, '5s', 10_000), [{ at: 5000 }, { at: 9000 }]);
});
