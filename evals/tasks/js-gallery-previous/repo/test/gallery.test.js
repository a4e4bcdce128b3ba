import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGallery, current, goTo, position, removeCurrent } from '../src/gallery.js';
import { onKey } from '../src/keys.js';

test('keys walk through the images', () => {
  const gallery = createGallery(['a.jpg', 'b.jpg', 'c.jpg']);
  onKey(gallery, 'ArrowRight');
  onKey(gallery, 'ArrowRight');
  assert.equal(current(gallery), 'c.jpg');
  onKey(gallery, 'ArrowLeft');
  assert.equal(current(gallery), 'b.jpg');
  assert.equal(position(gallery), '2 / 3');
  assert.equal(onKey(gallery, 'x'), false);
});

test('after the last image comes the first', () => {
  const gallery = createGallery(['a.jpg', 'b.jpg', 'c.jpg']);
  onKey(gallery, 'End');
  onKey(gallery, 'ArrowRight');
  assert.equal(current(gallery), 'a.jpg');
});

test('goTo and removeCurrent', () => {
  const gallery = createGallery(['a.jpg', 'b.jpg']);
  goTo(gallery, 7);
  assert.equal(current(gallery), 'a.jpg');
  goTo(gallery, 1);
  removeCurrent(gallery);
  assert.equal(current(gallery), 'a.jpg');
});
