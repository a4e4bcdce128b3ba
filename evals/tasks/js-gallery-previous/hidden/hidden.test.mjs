import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGallery, current, next, position, previous, removeCurrent } from './src/gallery.js';
import { onKey } from './src/keys.js';

test('before the first image comes the last', () => {
  const gallery = createGallery(['a', 'b', 'c', 'd', 'e']);
  previous(gallery);
  assert.equal(current(gallery), 'e');
  assert.equal(position(gallery), '5 / 5');
  previous(gallery);
  assert.equal(current(gallery), 'd');
  assert.equal(position(gallery), '4 / 5');
  next(gallery);
  next(gallery);
  assert.equal(current(gallery), 'a');
});

test('round and round backwards', () => {
  const gallery = createGallery(['a', 'b', 'c']);
  const seen = [];
  for (let i = 0; i < 7; i += 1) {
    onKey(gallery, 'ArrowLeft');
    seen.push(`${current(gallery)} ${position(gallery)}`);
  }
  assert.deepEqual(seen, ['c 3 / 3', 'b 2 / 3', 'a 1 / 3', 'c 3 / 3', 'b 2 / 3', 'a 1 / 3', 'c 3 / 3']);
});

test('one image and none', () => {
  const one = createGallery(['a']);
  previous(one);
  assert.equal(current(one), 'a');
  assert.equal(position(one), '1 / 1');
  const none = createGallery([]);
  previous(none);
  next(none);
  assert.equal(current(none), null);
  assert.equal(position(none), '0 / 0');
});

test('removing after going back', () => {
  const gallery = createGallery(['a', 'b', 'c']);
  previous(gallery);
  removeCurrent(gallery);
  assert.deepEqual(gallery.images, ['a', 'b']);
  assert.equal(current(gallery), 'a');
});
