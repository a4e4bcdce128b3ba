/** Which lines and functions may be the wrong ones, and in which order they are asked about. */
import { describe, expect, test } from '@jest/globals';
import { suspectsIn, type SuspectOptions } from '../../../sidecar/execution/drafts/suspects.ts';

const suspects = (options: Partial<SuspectOptions>) =>
  suspectsIn({ files: [], task: '', failures: '', tests: [], ...options });
const ask = async (options: Partial<SuspectOptions>) => (await suspects(options)).lines;
const shown = async (options: Partial<SuspectOptions>) =>
  (await ask(options)).map(({ path, line, text }) => `${path}:${line} ${text.trim()}`);

const ROOMS = `"""Bookings of rooms."""
from dataclasses import dataclass
import sys

LIMIT = 3


def overlaps(a, b):
    """True when both want the room.

    Ends count.
    """
    # The same room?
    if a.room != b.room:
        return False
    else:
        return a.start <= b.end


class Calendar:
    def unrelated(self):
        return 1

    def book(self, new):
        for old in self.all:
            if overlaps(old, new):
                raise ValueError(old)
`;

describe('lines of code', () => {
  test('what only the failing part of a test calls comes before what all of them call', async () => {
    const files = [
      {
        path: 'a.js',
        text: 'export function one() {\n  return 1;\n}\nexport function two() {\n  return 3;\n}\n',
      },
    ];
    const tests = [
      {
        path: 'a.test.js',
        text: "test('one', () => {\n  same(one(), 1);\n});\ntest('two', () => {\n  same(two(), 2);\n});\n",
      },
    ];
    const found = await suspects({ files, tests, failures: 'FAIL two (a.test.js:4)' });
    expect(found.functions.map(({ name }) => name)).toEqual(['two', 'one']);
    expect(found.lines[0]?.text).toBe('  return 3;');
  });

  test('those of what the task names come first, then those of what it uses, then the others', async () => {
    expect(
      await shown({ files: [{ path: 'rooms.py', text: ROOMS }], task: 'book() refuses too much' }),
    ).toEqual([
      'rooms.py:25 for old in self.all:',
      'rooms.py:26 if overlaps(old, new):',
      'rooms.py:27 raise ValueError(old)',
      'rooms.py:14 if a.room != b.room:',
      'rooms.py:15 return False',
      'rooms.py:17 return a.start <= b.end',
      'rooms.py:5 LIMIT = 3',
      'rooms.py:22 return 1',
    ]);
  });

  test('where a failure was raised outweighs a name in the task', async () => {
    const [first] = await shown({
      files: [{ path: 'rooms.py', text: ROOMS }],
      task: 'book() refuses too much',
      failures: 'AssertionError at rooms.py:22',
    });
    expect(first).toBe('rooms.py:22 return 1');
  });

  test('names in failures and tests count too, in that order', async () => {
    const text = 'const a1 = () => 1;\nconst b1 = () => 2;\nconst c1 = () => 3;\n';
    const files = [{ path: 'x.js', text }];
    const lines = await shown({
      files,
      failures: 'FAIL uses c1',
      tests: [{ path: 'test/a.test.js', text: 'assert(b1())' }],
    });
    expect(lines.map((line) => line.slice(0, 6))).toEqual(['x.js:3', 'x.js:2', 'x.js:1']);
  });

  test('comments, imports and brackets are no lines of code; fields whose name begins with # are', async () => {
    const text = `#!/usr/bin/env node
import a from 'a';
/* begins
   const no = 1;
*/
// const no = 2;
class Queue {
  #heap = new Heap((a, b) => a > b);
  /** const no = 3; */
  size() {
    return this.#heap.size;
  }
}
`;
    expect(await shown({ files: [{ path: 'queue.mjs', text }] })).toEqual([
      'queue.mjs:8 #heap = new Heap((a, b) => a > b);',
      'queue.mjs:11 return this.#heap.size;',
    ]);
  });

  test('a file that no grammar reads has none, nor has a line that is too long', async () => {
    expect(await ask({ files: [{ path: 'notes.txt', text: 'one = 1\n' }] })).toEqual([]);
    const text = `const table = '${'x'.repeat(300)}';\n`;
    expect(await ask({ files: [{ path: 'x.js', text }] })).toEqual([]);
  });

  test('line ends are no part of a line', async () => {
    expect(await ask({ files: [{ path: 'x.js', text: 'const a = 1;\r\nconst b = 2;\r\n' }] })).toEqual([
      { path: 'x.js', line: 1, text: 'const a = 1;', above: [] },
      { path: 'x.js', line: 2, text: 'const b = 2;', above: ['const a = 1;'] },
    ]);
  });
});

test('functions of several lines, with their heads, those of what the task names first', async () => {
  const text = `${ROOMS}

@cached
def short(a): return a


@cached
def all_days(room):
    return [day for day in room]
`;
  const files = [{ path: 'rooms.py', text }];
  const { functions } = await suspects({ files, task: 'book() refuses too much' });
  expect(functions.map(({ name, head }) => [name, head.trimEnd()])).toEqual([
    ['book', 'def book(self, new):'],
    ['overlaps', 'def overlaps(a, b):'],
    ['unrelated', 'def unrelated(self):'],
    ['short', '@cached\ndef short(a):'],
    ['all_days', '@cached\ndef all_days(room):'],
  ]);
});

test('comments without an end are read in time that grows with their length only', async () => {
  const text = `function add(a, b) {\n  return a - b;\n}\n${'// /*\n'.repeat(40_000)}`;
  expect(await shown({ files: [{ path: 'a.js', text }] })).toContain('a.js:2 return a - b;');
});
