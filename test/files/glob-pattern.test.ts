import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compileGlob, compileModelGlob } from '../../sidecar/files/glob-pattern.ts';
import { processorMs } from '../support/pace.ts';

describe('a glob pattern', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**/test/*.js', 'src/test/a.js', true],
    ['src/**/test/*.js', 'src/a/b/test/a.js', true],
    ['src/**/test/*.js', 'src/a/b/tests/a.js', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{a,b{1,2}}.c', 'b2.c', true],
    ['{a}.c', '{a}.c', true],
    [String.raw`\*.c`, '*.c', true],
    [String.raw`\*.c`, 'a.c', false],
    ['./src/*', 'src/a', true],
    ['.*', '.env', true],
  ])('%s on %s: %s', (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  test('matches every path as itself once its special characters are escaped', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        (segments) => {
          const path = segments.map((segment) => segment.replaceAll('/', '_')).join('/');
          fc.pre(!path.startsWith('./'));
          expect(compileGlob(path.replace(/[*?[\]{}\\,]/g, String.raw`\$&`))(path)).toBe(true);
        },
      ),
    );
  });
});

describe('a pattern of a model is refused with advice', () => {
  test.each([
    ['where a name has more than three stars', '**/*a*a*a*a*b', 'more than 3 stars in one name; use fewer'],
    ['where its braces have too many alternatives', `{a,b}`.repeat(9), 'more than 256 patterns; use fewer'],
    ['where a range has', '{1..300}', 'more than 256 patterns; use fewer'],
    ['where they are all the same', `{a,a}`.repeat(9), 'more than 256 patterns; use fewer'],
    ['where it is too long', 'a/'.repeat(501), 'more than 1000 characters; use a shorter one'],
  ])('%s', (_name, pattern, advice) => {
    expect(() => compileModelGlob(pattern)).toThrow(
      expect.objectContaining({ code: 'INVALID_PATTERN', message: expect.stringContaining(advice) }),
    );
  });

  test('and not at the limits', () => {
    for (const pattern of ['**/*a*a*', `{a,b}`.repeat(8), '{1..256}', 'a'.repeat(1000), '***/*'])
      expect(compileModelGlob(pattern)).toBeInstanceOf(Function);
  });
});

test.each([
  ['stars of an operator in one name', '*a*a*a*a*a*a*b', 'a'.repeat(4_000)],
  ['stars in several names', '*a*a*a/*a*a*a/*a*a*a/b', `${'a'.repeat(250)}/`.repeat(3) + 'c'],
  ['any folders', `${'**/a/'.repeat(190)}b`, `${'a/'.repeat(2_000)}c`],
  ['any folders with stars', `${'**/*a*a/'.repeat(110)}b`, `${`${'a'.repeat(250)}/`.repeat(15)}c`],
  ['groups, which are none', '(a+)+(a|a)*b', 'a'.repeat(4_000)],
  ['alternatives', `${'{a,aa}'.repeat(8)}*b`, 'a'.repeat(4_000)],
])('matching takes little time: %s', (_name, pattern, path) => {
  const tookMs = processorMs(() => {
    expect(compileGlob(pattern)(path)).toBe(false);
  });
  expect(tookMs).toBeLessThan(5_000);
});
