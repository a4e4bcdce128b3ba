import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruCache } from '../src/lru.js';
import { memoize } from '../src/memoize.js';

test('keeps and forgets', () => {
  const cache = new LruCache(2);
  cache.set('a', 1).set('b', 2).set('c', 3);
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.get('c'), 3);
  assert.equal(cache.size, 2);
});

test('a get is a use', () => {
  const cache = new LruCache(2);
  cache.set('a', 1).set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.equal(cache.has('a'), true);
  assert.equal(cache.has('b'), false);
});

test('tells what goes', () => {
  const gone = [];
  const cache = new LruCache(1, { onEvict: (key) => gone.push(key) });
  cache.set('a', 1).set('b', 2);
  assert.deepEqual(gone, ['a']);
});

test('memoize calls once', () => {
  let calls = 0;
  const double = memoize((n) => { calls += 1; return n * 2; });
  assert.equal(double(4), 8);
  assert.equal(double(4), 8);
  assert.equal(calls, 1);
});
