import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findIdentifiers } from '../../sidecar/brief/find-identifiers.ts';
import { fileIndex, importsOf } from '../../sidecar/brief/imports.ts';
import { generatedPaths, isLeftOut, isTest } from '../../sidecar/brief/left-out.ts';
import { taskWords } from '../../sidecar/brief/task-words.ts';
import type { TreeFiles } from '../../sidecar/brief/types.ts';

const elapsedMs = async (run: () => unknown): Promise<number> => {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
};

// A process that has compiled many regular expressions no longer optimizes new ones: what is slow then hangs there.
beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

/** What is read in one go takes up to half a second on an idle machine; what is quadratic or worse takes minutes. */
const LIMIT_MS = 10_000;

describe('texts that are made to take long', () => {
  const filled = (text: string): string => text.repeat(Math.ceil(500_000 / text.length));

  test.each([
    ['words before a name', filled(`${'static '.repeat(22)}= target(\n`)],
    ['brackets', filled(`${'('.repeat(80)}target${'('.repeat(80)}\n`)],
    ['one line', filled('target ')],
    ['colons', filled(`target ${':'.repeat(150)}\n`)],
  ])('definitions: %s', async (_name, text) => {
    const files: TreeFiles = { list: async () => ['a.js'], read: () => text };
    const search = () => findIdentifiers({ files, paths: ['a.js'], identifiers: ['target'] });
    expect(await elapsedMs(search)).toBeLessThan(LIMIT_MS);
  });

  test.each(['js', 'py', 'go', 'rs', 'java', 'rb', 'c', 'php', 'sh'])('imports of .%s', async (ending) => {
    const index = fileIndex(['a.js']);
    for (const part of [
      '\n',
      ' ',
      'import ',
      'import(',
      'from ',
      'from .',
      '.',
      '#include ',
      'require(',
      'a.',
      'mod a',
      '"',
      'crate::a::',
    ]) {
      const text = `import${filled(part)}`;
      expect(await elapsedMs(() => importsOf(`x.${ending}`, text, index))).toBeLessThan(LIMIT_MS);
    }
  });

  test('a task', async () => {
    for (const part of ['a', 'a/', 'a.', '`', '"', 'aB', 'a_', 'a(', 'a (', '../', '-']) {
      expect(await elapsedMs(() => taskWords({ description: filled(part) }))).toBeLessThan(LIMIT_MS);
    }
  });

  test('patterns of .gitattributes', async () => {
    const generated = generatedPaths(
      `${'*a'.repeat(90)} linguist-generated\n${'**/'.repeat(60)}x linguist-vendored\n`,
    );
    for (const path of ['a'.repeat(4_000), `${'a'.repeat(4_000)}b`, 'a/'.repeat(2_000)])
      expect(await elapsedMs(() => generated.ignores(path, false))).toBeLessThan(LIMIT_MS);
  });
});

describe('by its path alone', () => {
  test('what is left out', () => {
    for (const path of [
      'a/node_modules/b.js',
      'vendor/x.go',
      'dist/x.js',
      'x.min.js',
      'package-lock.json',
      'go.sum',
      'a_pb2.py',
      'x.PNG',
    ])
      expect([path, isLeftOut(path)]).toEqual([path, true]);
    for (const path of ['src/a.js', 'vendors.py', 'distance/x.js', 'go.mod', 'src/minify.js', 'locks.ts'])
      expect([path, isLeftOut(path)]).toEqual([path, false]);
  });

  test.each([
    ['*.pb.go', 'a/b.pb.go', true],
    ['*.pb.go', 'a/b.go', false],
    ['gen/', 'a/gen/b.js', true],
    ['/gen', 'a/gen/b.js', false],
    ['src/gen/*.ts', 'src/gen/a.ts', true],
    ['src/gen/*.ts', 'src/gen/b/a.ts', false],
    ['src/**/gen', 'src/a/b/gen/c.ts', true],
    ['src/**/gen', 'src/gen/c.ts', true],
    ['**/gen/*', 'a/b/gen/c', true],
    ['a?c.js', 'abc.js', true],
    ['a+c.js', 'aac.js', false],
  ])('%s marks %s: %s', (pattern, path, marked) => {
    expect(generatedPaths(`# a line\n${pattern} linguist-generated=true\n`).ignores(path, false)).toBe(
      marked,
    );
    expect(generatedPaths(`${pattern} -linguist-generated`).ignores(path, false)).toBe(false);
  });

  test('what is a test', () => {
    for (const path of [
      'test/a.js',
      'src/a.test.ts',
      'a_test.go',
      'test_a.py',
      'src/__tests__/a.js',
      'spec/a_spec.rb',
      'ATest.java',
    ])
      expect([path, isTest(path)]).toEqual([path, true]);
    for (const path of ['src/latest.js', 'contest.py', 'src/attest.go', 'test/README.md', 'testing.py'])
      expect([path, isTest(path)]).toEqual([path, false]);
  });
});

describe('what a task names', () => {
  test('files and identifiers, not prose', () => {
    const { paths, identifiers } = taskWords({
      description:
        'In `src/price.ts`, parsePrice() should return null for "" and `cart.totalOf(items)` must use MAX_ITEMS (see docs/rules.md:12). E.g. round (up) and snake_case too.',
      file_hints: ['./lib/a.js', { path: 'b.py' }],
      success_criteria: ['Works with `formatPrice`.', { description: 'roundCents stays' }],
    });
    expect(paths).toEqual(expect.arrayContaining(['lib/a.js', 'b.py', 'src/price.ts', 'docs/rules.md']));
    expect(identifiers).toEqual(
      expect.arrayContaining([
        'parsePrice',
        'totalOf',
        'MAX_ITEMS',
        'snake_case',
        'formatPrice',
        'roundCents',
      ]),
    );
    for (const word of ['round', 'return', 'null', 'should', 'src']) expect(identifiers).not.toContain(word);
  });
});
