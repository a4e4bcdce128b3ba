import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruCache } from './src/lru.js';
import { memoize } from './src/memoize.js';

test('a get moves the entry to the end', () => {
  const cache = new LruCache(3);
  cache.set('a', 1).set('b', 2).set('c', 3);
  assert.equal(cache.get('a'), 1);
  assert.deepEqual(cache.keys(), ['b', 'c', 'a']);
});

test('a miss adds nothing', () => {
  const cache = new LruCache(2);
  cache.set('a', 1);
  assert.equal(cache.get('x'), undefined);
  assert.equal(cache.size, 1);
  assert.equal(cache.has('x'), false);
});

test('stored falsy values count as there', () => {
  const cache = new LruCache(2);
  cache.set('zero', 0).set('none', undefined);
  assert.equal(cache.get('zero'), 0);
  assert.deepEqual(cache.keys(), ['none', 'zero']);
  cache.get('none');
  assert.deepEqual(cache.keys(), ['zero', 'none']);
});

test('a peek is no use', () => {
  const cache = new LruCache(2);
  cache.set('a', 1).set('b', 2);
  assert.equal(cache.peek('a'), 1);
  cache.set('c', 3);
  assert.deepEqual(cache.keys(), ['b', 'c']);
});

test('get evicts nothing', () => {
  const gone = [];
  const cache = new LruCache(2, { onEvict: (key, value) => gone.push([key, value]) });
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.get('b');
  assert.deepEqual(gone, []);
  cache.set('c', 3);
  assert.deepEqual(gone, [['a', 1]]);
});

test('memoize keeps what is used', () => {
  const calls = [];
  const same = memoize((n) => { calls.push(n); return n; }, 2);
  for (const n of [1, 2, 1, 3, 1]) same(n);
  assert.deepEqual(calls, [1, 2, 3]);
});
