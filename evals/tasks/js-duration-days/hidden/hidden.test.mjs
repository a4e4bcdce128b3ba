import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from './src/duration.js';
import { keep } from './src/retention.js';

const DAY = 86_400_000;

test('days of any number, alone and with others', () => {
  assert.equal(parseDuration('2d'), 2 * DAY);
  assert.equal(parseDuration('30d'), 30 * DAY);
  assert.equal(parseDuration('0.5d'), DAY / 2);
  assert.equal(parseDuration('1d 12h'), 1.5 * DAY);
  assert.equal(parseDuration(' 1D2h3m '), DAY + 2 * 3_600_000 + 180_000);
});

test('what worked still works', () => {
  assert.equal(parseDuration('1h 30m'), 5_400_000);
  assert.equal(parseDuration('250ms'), 250);
  assert.throws(() => parseDuration('3q'), /unknown unit: q/);
  assert.throws(() => parseDuration('d'), /not a duration/);
  assert.throws(() => parseDuration('  '), /empty/);
  assert.equal(formatDuration(5_400_000), '1h 30m');
  assert.equal(formatDuration(1), '1ms');
});

test('retention in days', () => {
  const entries = [{ at: 10 * DAY }, { at: 8 * DAY }, { at: 1 * DAY }];
  assert.deepEqual(keep(entries, '3d', 11 * DAY), [{ at: 8 * DAY }, { at: 10 * DAY }]);
});
