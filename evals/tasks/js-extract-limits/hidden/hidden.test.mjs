import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { problems } from './src/check.js';
import { status } from './src/editor.js';
import { split } from './src/import.js';
import * as limits from './src/limits.js';

const picture = (bytes = 1) => ({ bytes });

test('the limits', () => {
  assert.equal(limits.MAX_CHARS, 280);
  assert.equal(limits.MAX_PICTURES, 5);
  assert.equal(limits.MAX_PICTURE_BYTES, 2 * 1024 * 1024);
});

test('are used everywhere', () => {
  const post = { text: 'x'.repeat(281), pictures: [...Array(5).fill(picture()), picture(2097153)] };
  assert.deepEqual(problems(post), ['at most 280 characters, not 281', 'at most 5 pictures', 'a picture is larger than 2 MB']);
  assert.equal(status('abc', Array(4).fill(picture())), '277 characters, 1 picture left');
  const posts = split('y'.repeat(300), [...Array(6).fill(picture()), picture(2097153)]);
  assert.deepEqual(posts.map(({ text, pictures }) => [text.length, pictures.length]), [[280, 5], [20, 1]]);
});

test('stand nowhere else', () => {
  for (const file of ['check', 'editor', 'import']) {
    const source = readFileSync(`src/${file}.js`, 'utf8');
    assert.doesNotMatch(source, /\b(?:280|2097152|1024)\b|[^\w][45]\b/, file);
    assert.match(source, /limits\.js/);
  }
});
