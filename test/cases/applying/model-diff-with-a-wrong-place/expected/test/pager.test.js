import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageLinks } from '../src/links.js';
import { pager, slicePage } from '../src/pager.js';

test('full pages', () => {
  assert.deepEqual(pager(40), { page: 1, pages: 2, from: 1, to: 20, hasPrevious: false, hasNext: true });
});

test('a rest gets a page of its own', () => {
  assert.equal(pager(45).pages, 3);
  assert.deepEqual(pager(45, { page: 3 }), { page: 3, pages: 3, from: 41, to: 45, hasPrevious: true, hasNext: false });
});

test('an empty list has one page', () => {
  assert.deepEqual(pager(0), { page: 1, pages: 1, from: 0, to: 0, hasPrevious: false, hasNext: false });
});

test('slices', () => {
  assert.deepEqual(slicePage(['a', 'b', 'c', 'd'], { page: 2, perPage: 2 }), ['c', 'd']);
});

test('links', () => {
  assert.deepEqual(pageLinks('/posts', 40, { page: 2 }), { first: '/posts?page=1', previous: '/posts?page=1' });
});
