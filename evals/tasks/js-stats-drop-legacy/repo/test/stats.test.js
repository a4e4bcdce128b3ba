import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mean, spread, sum } from '../src/index.js';

test('sum and spread', () => {
  assert.equal(sum([1, 2, 3]), 6);
  assert.equal(spread([4, 1, 9]), 8);
});

test('the mean of nothing is 0', () => {
  assert.equal(mean([2, 4]), 3);
  assert.equal(mean([]), 0);
});
