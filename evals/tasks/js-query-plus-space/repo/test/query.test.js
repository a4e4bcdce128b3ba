import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuery, parseQuery } from '../src/query.js';
import { search } from '../src/search.js';

test('plain', () => {
  assert.deepEqual(parseQuery('?q=tea&page=2'), { q: 'tea', page: '2' });
});

test('without a value', () => {
  assert.deepEqual(parseQuery('debug&x='), { debug: '', x: '' });
});

test('a plus is a space', () => {
  assert.deepEqual(parseQuery('q=red+shoes'), { q: 'red shoes' });
  assert.deepEqual(search('/search?q=red+shoes'), ['red shoes']);
});

test('writing', () => {
  assert.equal(formatQuery({ q: 'a b', n: 1 }), 'q=a%20b&n=1');
});
