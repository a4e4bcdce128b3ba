import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobQueue } from '../src/queue.js';

test('higher priority goes first', () => {
  const queue = new JobQueue();
  queue.add('low', 1);
  queue.add('high', 9);
  queue.add('middle', 5);
  assert.deepEqual(queue.drain(), ['high', 'middle', 'low']);
});

test('an empty queue gives nothing', () => {
  assert.equal(new JobQueue().take(), undefined);
});

test('the same priority keeps the order', () => {
  const queue = new JobQueue();
  for (const job of ['a', 'b', 'c', 'd']) queue.add(job, 1);
  assert.deepEqual(queue.drain(), ['a', 'b', 'c', 'd']);
});
