import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPost } from '../src/post.js';
import { normalizeTags } from '../src/tags.js';

test('trims and lowers', () => {
  assert.deepEqual(normalizeTags([' Rust ', 'Web']), ['rust', 'web']);
});

test('case makes no difference', () => {
  assert.deepEqual(normalizeTags(['News', 'news']), ['news']);
});

test('at most five', () => {
  assert.deepEqual(normalizeTags(['a', 'b', 'c', 'd', 'e', 'f']), ['a', 'b', 'c', 'd', 'e']);
});

test('from a form', () => {
  assert.deepEqual(createPost({ title: ' Hi ', tags: 'x, y;;z' }), { title: 'Hi', tags: ['x', 'y', 'z'] });
});
