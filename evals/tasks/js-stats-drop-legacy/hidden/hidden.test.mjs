import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as all from './src/index.js';
import * as stats from './src/stats.js';

test('what stays works', () => {
  assert.equal(all.mean([]), 0);
  assert.equal(all.mean([1, 2]), 1.5);
  assert.equal(all.sum([1, 2, 3]), 6);
  assert.equal(all.spread([]), 0);
});

test('legacySum is gone everywhere', () => {
  assert.deepEqual(Object.keys(all).sort(), ['mean', 'spread', 'sum']);
  assert.deepEqual(Object.keys(stats).sort(), ['mean', 'spread', 'sum']);
  for (const file of ['src/stats.js', 'src/index.js', 'README.md']) assert.doesNotMatch(readFileSync(file, 'utf8'), /legacySum/, file);
  assert.match(readFileSync('README.md', 'utf8'), /`spread`/);
});
