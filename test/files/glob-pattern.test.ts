import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compileGlob } from '../../sidecar/files/glob-pattern.ts';

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
