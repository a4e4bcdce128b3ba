import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summary } from './src/summary.js';
import { unifiedDiff } from './src/unified.js';

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
const text = (...lines) => lines.flat().map((line) => `${line}\n`).join('');
const heads = (diff) => diff.split('\n').filter((line) => line.startsWith('@@'));
const HEAD = '--- a\n+++ b\n';

test('at the start and at the end', () => {
  assert.equal(unifiedDiff(text(numbers(1, 9)), text('one', numbers(2, 9))), `${HEAD}@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n`);
  assert.equal(unifiedDiff(text(numbers(1, 9)), text(numbers(1, 9), 'ten')), `${HEAD}@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+ten\n`);
});

test('hunks apart, touching and overlapping', () => {
  const change = (...at) => numbers(1, 30).map((line) => (at.includes(Number(line)) ? `x${line}` : line));
  assert.deepEqual(heads(unifiedDiff(text(numbers(1, 30)), text(change(5, 13)))), ['@@ -2,7 +2,7 @@', '@@ -10,7 +10,7 @@']);
  assert.deepEqual(heads(unifiedDiff(text(numbers(1, 30)), text(change(5, 12)))), ['@@ -2,14 +2,14 @@']);
  assert.deepEqual(heads(unifiedDiff(text(numbers(1, 30)), text(change(5, 9)))), ['@@ -2,11 +2,11 @@']);
  assert.deepEqual(heads(unifiedDiff(text(numbers(1, 30)), text(change(1, 30)))), ['@@ -1,4 +1,4 @@', '@@ -27,4 +27,4 @@']);
});

test('numbers move after additions and removals', () => {
  const before = text(numbers(1, 30));
  const after = text(numbers(1, 4), 'a', 'b', numbers(5, 19), numbers(21, 30));
  assert.deepEqual(heads(unifiedDiff(before, after)), ['@@ -2,6 +2,8 @@', '@@ -17,7 +19,6 @@']);
});

test('sides without lines', () => {
  assert.equal(unifiedDiff('', 'a\nb\n'), `${HEAD}@@ -0,0 +1,2 @@\n+a\n+b\n`);
  assert.equal(unifiedDiff('a\n', ''), `${HEAD}@@ -1,1 +0,0 @@\n-a\n`);
});

test('names, and equal texts', () => {
  assert.equal(unifiedDiff('a\n', 'b\n', { from: 'x.cfg', to: 'y.cfg' }), '--- x.cfg\n+++ y.cfg\n@@ -1,1 +1,1 @@\n-a\n+b\n');
  assert.equal(unifiedDiff('', ''), '');
  assert.equal(summary('a\n', 'a\n'), 'no difference');
});
