import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heap } from './src/heap.js';
import { JobQueue } from './src/queue.js';

test('order within a priority, mixed with others', () => {
  const queue = new JobQueue();
  const jobs = Array.from({ length: 60 }, (_, i) => ({ id: i, priority: (i * 7) % 4 }));
  for (const job of jobs) queue.add(job, job.priority);
  const wanted = [3, 2, 1, 0].flatMap((priority) => jobs.filter((job) => job.priority === priority));
  assert.equal(queue.length, 60);
  assert.deepEqual(queue.drain(), wanted);
});

test('order holds while jobs are taken between', () => {
  const queue = new JobQueue();
  for (const job of ['a', 'b', 'c', 'd', 'e']) queue.add(job);
  assert.equal(queue.take(), 'a');
  assert.equal(queue.take(), 'b');
  queue.add('f');
  queue.add('now', 3);
  assert.deepEqual(queue.drain(), ['now', 'c', 'd', 'e', 'f']);
  queue.add('x');
  queue.add('y');
  queue.add('z');
  assert.deepEqual(queue.drain(), ['x', 'y', 'z']);
});

test('the heap itself still sorts by what it was given', () => {
  const heap = new Heap((a, b) => a < b);
  for (const n of [5, 2, 8, 1, 9, 3]) heap.push(n);
  const out = [];
  while (heap.size > 0) out.push(heap.pop());
  assert.deepEqual(out, [1, 2, 3, 5, 8, 9]);
  assert.equal(heap.pop(), undefined);
});

test('two queues do not disturb each other', () => {
  const one = new JobQueue();
  const two = new JobQueue();
  one.add('1a');
  two.add('2a');
  one.add('1b');
  two.add('2b');
  assert.deepEqual(two.drain(), ['2a', '2b']);
  assert.deepEqual(one.drain(), ['1a', '1b']);
});
