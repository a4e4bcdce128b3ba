import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from '../src/cron.js';
import { nextRun } from '../src/next.js';

test('numbers, ranges, lists and stars', () => {
  const [minutes, hours, , , weekdays] = parseCron('0,30 8-10 * * 1-5');
  assert.deepEqual([...minutes], [0, 30]);
  assert.deepEqual([...hours], [8, 9, 10]);
  assert.deepEqual([...weekdays], [1, 2, 3, 4, 5]);
});

test('steps', () => {
  const [minutes, hours] = parseCron('*/15 8-18/2 * * *');
  assert.deepEqual([...minutes], [0, 15, 30, 45]);
  assert.deepEqual([...hours], [8, 10, 12, 14, 16, 18]);
  assert.deepEqual([...parseCron('10-40/20 * * * *')[0]], [10, 30]);
  assert.throws(() => parseCron('*/0 * * * *'), /bad minute/);
});

test('refuses what is no cron line', () => {
  assert.throws(() => parseCron('* * *'), /five fields/);
  assert.throws(() => parseCron('x * * * *'), /bad minute: x/);
  assert.throws(() => parseCron('0 24 * * *'), /hour out of range/);
});

test('the next run', () => {
  const after = new Date('2024-03-01T18:20:00Z');
  assert.equal(nextRun('0 8 * * 1-5', after).toISOString(), '2024-03-04T08:00:00.000Z');
});
