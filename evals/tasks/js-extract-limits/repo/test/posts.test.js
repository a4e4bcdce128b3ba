import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from '../src/check.js';
import { MAX_PICTURES } from '../src/limits.js';

test('five pictures are allowed', () => {
  assert.equal(MAX_PICTURES, 5);
  assert.deepEqual(problems({ text: 'x', pictures: Array(5).fill({ bytes: 1 }) }), []);
});
