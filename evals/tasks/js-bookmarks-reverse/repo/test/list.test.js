import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from '../src/args.js';
import { listBookmarks } from '../src/list.js';

const BOOKMARKS = [
  { title: 'B', url: 'b.org', added: '2024-01-01' },
  { title: 'A', url: 'a.org', added: '2024-03-01' },
  { title: 'C', url: 'c.org', added: '2024-02-01' },
];

test('by title', () => {
  assert.deepEqual(listBookmarks(BOOKMARKS, parseArgs([])), ['A <a.org>', 'B <b.org>', 'C <c.org>']);
});

test('the first two', () => {
  assert.deepEqual(listBookmarks(BOOKMARKS, parseArgs(['--limit', '2'])), ['A <a.org>', 'B <b.org>']);
});

test('reverse', () => {
  assert.equal(parseArgs(['--reverse']).reverse, true);
  assert.deepEqual(listBookmarks(BOOKMARKS, parseArgs(['--reverse'])), ['C <c.org>', 'B <b.org>', 'A <a.org>']);
});
