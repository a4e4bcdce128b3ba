/** How many lines a change adds and removes. */
import { expect, test } from '@jest/globals';
import { changedLines } from '../../sidecar/task/changed-lines.ts';

test.each([
  ['a\nb\n', 'a\nc\nb\n', 1, 0],
  ['a\nb\n', 'a\nc\n', 1, 1],
  ['a\nb\n', 'a\nb\n', 0, 0],
  // A line that moved is taken away in one place and added in another.
  ['a\nb\nc\n', 'c\na\nb\n', 1, 1],
])('%j to %j: +%i −%i', (before, after, additions, deletions) => {
  expect(changedLines(before, after)).toEqual({ additions, deletions });
});
