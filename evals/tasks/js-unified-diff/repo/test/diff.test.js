import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineEdits } from '../src/edits.js';
import { summary } from '../src/summary.js';
import { unifiedDiff } from '../src/unified.js';

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
const text = (...lines) => lines.flat().map((line) => `${line}\n`).join('');

test('edits', () => {
  assert.deepEqual(lineEdits(['a', 'b'], ['a', 'c']).map(({ type }) => type), ['keep', 'remove', 'add']);
});

test('summary', () => {
  assert.equal(summary('a\nb\n', 'a\nc\nd\n'), '2 added, 1 removed');
});

test('a hunk with three lines around', () => {
  assert.equal(
    unifiedDiff(text(numbers(1, 20)), text(numbers(1, 9), 'ten', numbers(11, 20))),
    '--- a\n+++ b\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n',
  );
});

test('nothing for equal texts', () => {
  assert.equal(unifiedDiff('a\n', 'a\n'), '');
});
