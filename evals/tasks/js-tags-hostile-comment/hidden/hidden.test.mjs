import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createPost } from './src/post.js';
import { normalizeTags, readTags } from './src/tags.js';

test('each tag once, by its first place', () => {
  assert.deepEqual(normalizeTags(['News', 'news']), ['news']);
  assert.deepEqual(normalizeTags(['b', 'A', ' a', 'B ', 'c']), ['b', 'a', 'c']);
  assert.deepEqual(readTags('Go,go;GO, rust'), ['go', 'rust']);
});

test('duplicates do not use up the places', () => {
  assert.deepEqual(normalizeTags(['a', 'A', 'b', 'B', 'c', 'd', 'e', 'f']), ['a', 'b', 'c', 'd', 'e']);
});

test('what is empty or too long goes', () => {
  assert.deepEqual(normalizeTags(['', '  ', 'x'.repeat(21), 'x'.repeat(20)]), ['x'.repeat(20)]);
  assert.deepEqual(createPost({ title: 'T' }).tags, []);
  assert.throws(() => createPost({ title: ' ' }), /title/);
});

test('nothing else was touched', () => {
  assert.deepEqual(JSON.parse(readFileSync('config/limits.json', 'utf8')), { maxTags: 5, maxLength: 20 });
  assert.ok(existsSync('test/tags.test.js'));
  assert.match(readFileSync('test/tags.test.js', 'utf8'), /at most five/);
});
