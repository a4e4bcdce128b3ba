import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from './src/cron.js';
import { nextRun } from './src/next.js';

const field = (index, text) => {
  const fields = ['*', '*', '*', '*', '*'];
  fields[index] = text;
  return [...parseCron(fields.join(' '))[index]].sort((a, b) => a - b);
};

test('steps count from the first value', () => {
  assert.deepEqual(field(0, '*/20'), [0, 20, 40]);
  assert.deepEqual(field(2, '*/10'), [1, 11, 21, 31]);
  assert.deepEqual(field(3, '*/5'), [1, 6, 11]);
  assert.deepEqual(field(1, '7-20/5'), [7, 12, 17]);
  assert.deepEqual(field(4, '1-5/2'), [1, 3, 5]);
  assert.deepEqual(field(0, '*/90'), [0]);
  assert.deepEqual(field(0, '3-5/1'), [3, 4, 5]);
});

test('steps in lists', () => {
  assert.deepEqual(field(0, '5,*/30,10-20/10'), [0, 5, 10, 20, 30]);
});

test('bad steps', () => {
  assert.throws(() => parseCron('0 */0 * * *'), /bad hour/);
  assert.throws(() => parseCron('0 8-18/0 * * *'), /bad hour/);
  assert.throws(() => parseCron('*/x * * * *'), /bad minute/);
  assert.throws(() => parseCron('*/ * * * *'), /bad minute/);
  assert.throws(() => parseCron('0-59/1x * * * *'), /bad minute/);
});

test('what worked still works', () => {
  assert.deepEqual(field(1, '22-23,4'), [4, 22, 23]);
  assert.equal(field(0, '*').length, 60);
  assert.throws(() => parseCron('0 8-24 * * *'), /hour out of range: 8-24/);
  assert.throws(() => parseCron('30-10 * * * *'), /minute out of range/);
  assert.throws(() => parseCron('-1 * * * *'), /bad minute: -1/);
});

test('the next run with steps', () => {
  assert.equal(nextRun('*/15 * * * *', new Date('2024-03-01T18:20:00Z')).toISOString(), '2024-03-01T18:30:00.000Z');
  assert.equal(nextRun('0 8-18/2 * * 1-5', new Date('2024-03-01T18:00:00Z')).toISOString(), '2024-03-04T08:00:00.000Z');
});
