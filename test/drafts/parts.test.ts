/** Smaller changes that a change is made of. */
import { describe, expect, test } from '@jest/globals';
import { partsOf } from '../../sidecar/drafts/parts.ts';

const between = (before: string, after: string) =>
  partsOf([{ path: 'x.js', before, after }]).map((files) => files.map((file) => file.after).join('|'));

describe('parts of a change', () => {
  test('a right piece of a line is one of them, where the same line has a wrong one', () => {
    const before = 'if (limit !== null && cents > limit) return 0;\n';
    const parts = between(before, 'if (limit === null || cents >= limit) return 0;\n');
    expect(parts).toContain('if (limit !== null && cents >= limit) return 0;\n');
    expect(parts).toContain('if (limit === null || cents > limit) return 0;\n');
    expect(parts).not.toContain(before);
  });

  test('also where something around it was dropped', () => {
    const parts = between(
      'const pages = Math.max(1, Math.floor(count / size));\n',
      'const pages = Math.ceil(count / size);\n',
    );
    expect(parts).toContain('const pages = Math.max(1, Math.ceil(count / size));\n');
  });

  test('lines that are added can be left out one by one', () => {
    const before = 'a();\n  b();\nc();\n';
    const parts = between(before, 'a();\nx();\n  b();\ny();\nc();\n');
    expect(parts).toEqual(
      expect.arrayContaining(['a();\nx();\n  b();\nc();\n', 'a();\n  b();\ny();\nc();\n']),
    );
  });

  test('of three pieces all but one are tried too', () => {
    expect(between('a b c d e\n', 'A b C d E\n')).toEqual([
      'A b c d e\n',
      'a b C d e\n',
      'a b c d E\n',
      'a b C d E\n',
      'A b c d E\n',
      'A b C d e\n',
    ]);
  });

  test('each file of several is a part', () => {
    const files = [
      { path: 'a', before: 'one\n', after: 'two\n' },
      { path: 'b', before: 'three\n', after: 'four\n' },
      { path: 'c', after: 'new\n' },
    ];
    expect(partsOf(files).map((part) => part.map(({ path }) => path))).toEqual([['a'], ['b']]);
  });

  test.each([
    ['of one piece', 'a > b\n', 'a >= b\n'],
    ['that is a new file', undefined, 'a\nb\n'],
    ['of nothing', 'a\n', 'a\n'],
    ['of many pieces', 'a b '.repeat(20), 'a c '.repeat(20)],
    ['that is another text', 'a b '.repeat(500), 'c d '.repeat(500)],
  ])('a change %s has none', (_what, before, after) => {
    expect(partsOf([{ path: 'x', ...(before !== undefined && { before }), after }])).toEqual([]);
  });

  test('white space and line ends stay as they are', () => {
    const parts = between(
      '\tif (a > b) {\r\n\t\tgo(1);\r\n\t}\r\n',
      '\tif (a >= b) {\r\n\t\tgo(2);\r\n\t}\r\n',
    );
    expect(parts).toEqual([
      '\tif (a >= b) {\r\n\t\tgo(1);\r\n\t}\r\n',
      '\tif (a > b) {\r\n\t\tgo(2);\r\n\t}\r\n',
    ]);
  });
});
