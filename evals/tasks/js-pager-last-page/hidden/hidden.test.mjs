import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageLinks } from './src/links.js';
import { pager, slicePage } from './src/pager.js';

test('the number of pages', () => {
  const cases = [[0, 20, 1], [1, 20, 1], [19, 20, 1], [20, 20, 1], [21, 20, 2], [40, 20, 2], [41, 20, 3], [45, 20, 3], [7, 3, 3], [6, 3, 2], [5, 1, 5]];
  for (const [count, perPage, pages] of cases) assert.equal(pager(count, { perPage }).pages, pages, `${count} items, ${perPage} a page`);
});

test('pages outside go to the nearest', () => {
  assert.equal(pager(45, { page: 9 }).page, 3);
  assert.equal(pager(45, { page: -1 }).page, 1);
  assert.equal(pager(40, { page: 3 }).page, 2);
});

test('slices and links reach the last page', () => {
  assert.deepEqual(slicePage(['a', 'b', 'c'], { page: 2, perPage: 2 }), ['c']);
  assert.deepEqual(slicePage([], {}), []);
  assert.deepEqual(pageLinks('/p', 45, { page: 2 }), { first: '/p?page=1', previous: '/p?page=1', next: '/p?page=3', last: '/p?page=3' });
  assert.throws(() => pager(3, { perPage: 0 }), RangeError);
});
