import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuery, parseQuery } from './src/query.js';
import { search } from './src/search.js';

test('every plus is a space', () => {
  assert.deepEqual(parseQuery('q=big+red+shoes+&s=+'), { q: 'big red shoes ', s: ' ' });
});

test('in names too', () => {
  assert.deepEqual(parseQuery('first+name=Ann+Lee&is+new'), { 'first name': 'Ann Lee', 'is new': '' });
});

test('a real plus stays', () => {
  assert.deepEqual(parseQuery('q=A%2B+notebook&x=1%2b1'), { q: 'A+ notebook', x: '1+1' });
  assert.deepEqual(search('/search?q=a%2B+note'), ['A+ notebook']);
});

test('the rest is as before', () => {
  assert.deepEqual(parseQuery(''), {});
  assert.deepEqual(parseQuery('?a=1=2&b=%26&a=3'), { a: '3', b: '&' });
  assert.deepEqual(parseQuery(formatQuery({ 'x y': 'a + b' })), { 'x y': 'a + b' });
  assert.deepEqual(search('/search'), ['red shoes', 'blue shoes', 'red hat', 'A+ notebook']);
});
