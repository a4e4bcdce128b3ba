import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeSettings } from '../src/settings/merge.js';

test('later layers win', () => {
  assert.deepEqual(mergeSettings({ a: 1, g: { x: 1, y: 2 } }, { a: 2, g: { y: 3 } }), { a: 2, g: { x: 1, y: 3 } });
});

test('missing layers and values are skipped', () => {
  assert.deepEqual(mergeSettings({ a: 1 }, undefined, { a: undefined, b: 2 }), { a: 1, b: 2 });
});
