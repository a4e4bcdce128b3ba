/** How many lines a change adds and removes, and which changes are the same: comments are left out where the language has them. */
import { describe, expect, test } from '@jest/globals';
import { changedLines, changesNothing, sameChangeKey } from '../../sidecar/task/changes.ts';

const isSame = (path: string, one: string, other: string): boolean =>
  sameChangeKey([{ path, after: one }]) === sameChangeKey([{ path, after: other }]);

describe('the same change', () => {
  test.each([
    ['a.js', 'f();\n', '// Calls it.\nf();\n'],
    ['a.ts', 'f();\n', '/**\n * Calls it.\n */\nf();\n'],
    ['a.go', 'f()\n', '  f() \n\n'],
    ['a.py', 'f()\n', '# Calls it.\nf()\n'],
    ['a.yaml', 'a: 1\n', '# one\na: 1\n'],
    ['a.css', 'a { }\n', '/* links */\na { }\n'],
  ])('%s: comments and white space', (path, one, other) => {
    expect(isSame(path, one, other)).toBe(true);
    expect(changesNothing([{ path, before: one, after: other }])).toBe(true);
  });

  test('a file with another comment alone counts only where there is no other', () => {
    const code = { path: 'a.js', before: 'f();\n', after: 'g();\n' };
    const comment = (text: string) => ({ path: 'b.js', before: 'h();\n', after: `// ${text}\nh();\n` });
    expect(sameChangeKey([code, comment('Calls it.')])).toBe(sameChangeKey([code]));
    expect(sameChangeKey([comment('Calls it.')])).not.toBe(sameChangeKey([code]));
    expect(sameChangeKey([comment('Calls it.')])).toBe(sameChangeKey([comment('Once.')]));
  });

  test.each([
    ['README.md', '# Old\n', '# New\n'],
    ['README.md', '* one\n', '* two\n'],
    ['a.c', '#define A 1\n', '#define A 2\n'],
    ['a.c', '*p = 1;\n', '*p = 2;\n'],
    ['a.rs', '#[test]\n', '#[ignore]\n'],
    ['a.css', '#a { }\n', '#b { }\n'],
    ['a.js', '*f() {}\n', '*g() {}\n'],
    ['a.js', '/* x */ f();\n', '/* x */ g();\n'],
    ['a.sh', '#!/bin/sh\n', '#!/bin/bash\n'],
  ])('%s: what only looks like a comment is none', (path, one, other) => {
    expect(isSame(path, one, other)).toBe(false);
  });
});

test.each([
  ['a\nb\n', 'a\nc\nb\n', 1, 0],
  ['a\nb\n', 'a\nc\n', 1, 1],
  ['a\nb\n', 'a\nb\n', 0, 0],
  // A line that moved is taken away in one place and added in another.
  ['a\nb\nc\n', 'c\na\nb\n', 1, 1],
])('%j to %j: +%i −%i', (before, after, additions, deletions) => {
  expect(changedLines(before, after)).toEqual({ additions, deletions });
});
