import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { computeBriefBudget } from '../../../sidecar/solving/brief/budget.ts';
import { findIdentifiers } from '../../../sidecar/solving/brief/find-identifiers.ts';
import { buildFileIndex, findImports } from '../../../sidecar/solving/brief/imports.ts';
import { readGeneratedRules, isExcludedFile } from '../../../sidecar/solving/brief/excluded-files.ts';
import { isTest } from '../../../sidecar/solving/brief/runners.ts';
import { ReadingSpeeds } from '../../../sidecar/model/reading-speeds.ts';
import { findTaskWords } from '../../../sidecar/solving/brief/task-words.ts';
import type { TreeFiles } from '../../../sidecar/solving/brief/types.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('the budget of a brief', () => {
  test('a quarter of the window, or what the server reads in time', () => {
    expect(computeBriefBudget({ windowTokens: 8_192, prefillTokensPerSecond: 5_000, seconds: 15 })).toBe(
      2_048,
    );
    expect(computeBriefBudget({ windowTokens: 32_768, prefillTokensPerSecond: 110, seconds: 15 })).toBe(
      1_650,
    );
    expect(computeBriefBudget({ windowTokens: 1_000_000, prefillTokensPerSecond: 50_000, seconds: 15 })).toBe(
      24_000,
    );
    // A very slow machine still gets a few files, a very small window never more than its share.
    expect(computeBriefBudget({ windowTokens: 32_768, prefillTokensPerSecond: 2, seconds: 15 })).toBe(1_600);
    expect(computeBriefBudget({ windowTokens: 1_024, prefillTokensPerSecond: 2, seconds: 15 })).toBe(256);
    expect(computeBriefBudget({ windowTokens: 32_768, seconds: 15 })).toBe(1_800);
  });
});

describe('how fast a server reads', () => {
  const folder = tempFolders();
  const url = 'http://127.0.0.1:1';
  const call = (promptTokens: number, seconds: number) => ({ promptTokens, promptEvalNs: seconds * 1e9 });

  test('is learned for each model and server and kept between runs', async () => {
    const path = join(folder(), 'state', 'prefill-rates.json');
    const speeds = new ReadingSpeeds(path);
    expect(speeds.speedOf('a')).toBeUndefined();
    speeds.recordCall('a', url, call(1_000, 10));
    speeds.recordCall('a', url, call(2_000, 10));
    speeds.recordCall('b', url, call(900, 1));
    speeds.recordCall('b', 'http://user:secret@other:1', call(500, 1));
    expect(speeds.speedOf('a')).toBeCloseTo(130);
    await speeds.waitUntilSaved();
    const next = new ReadingSpeeds(path);
    expect([next.speedOf('a'), next.speedOf('b', url), next.speedOf('b')]).toEqual([
      speeds.speedOf('a'),
      900,
      500,
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
  });

  test('a prompt of which a part may have been cached shows only what is sure', () => {
    const speeds = new ReadingSpeeds();
    speeds.recordCall('a', url, call(1_000, 10));
    // Ten seconds for 500 to 5000 tokens: that may well be 100 tokens a second.
    speeds.recordCall('a', url, { ...call(5_000, 10), freshTokens: 500 });
    expect(speeds.speedOf('a')).toBe(100);
    speeds.recordCall('a', url, { ...call(5_000, 10), freshTokens: 2_000 });
    expect(speeds.speedOf('a')).toBeCloseTo(130);
    speeds.recordCall('a', url, { ...call(500, 10), freshTokens: 0 });
    expect(speeds.speedOf('a')).toBeCloseTo(106);
    speeds.recordCall('b', url, { ...call(5_000, 0.1), freshTokens: 10 });
    expect(speeds.speedOf('b')).toBeUndefined();
  });

  test('ignores counts that show nothing', () => {
    const speeds = new ReadingSpeeds();
    for (const [tokens, seconds] of [
      [10, 1],
      [500, 0],
      [0, 0],
      [500, Number.NaN],
      [500, -1],
      [1e12, 1e-3],
    ])
      speeds.recordCall('a', url, call(tokens ?? 0, seconds ?? 0));
    expect(speeds.speedOf('a')).toBeUndefined();
  });

  test('a file that was damaged, or cannot be written, costs only what was learned', async () => {
    const path = join(folder(), 'rates.json');
    const content = `{ "a ${url}": 5, "b ${url}": "x", "c ${url}": -1`;
    writeFileSync(path, content);
    expect(new ReadingSpeeds(path).speedOf('a')).toBeUndefined();
    writeFileSync(path, `${content}, "d": null }`);
    const speeds = new ReadingSpeeds(path);
    expect(['a', 'b', 'c', 'd'].map((model) => speeds.speedOf(model))).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
    const blocked = new ReadingSpeeds(join(path, 'below-a-file.json'));
    blocked.recordCall('a', url, call(1_000, 10));
    await blocked.waitUntilSaved();
    expect(blocked.speedOf('a')).toBe(100);
    for (let n = 0; n < 300; n += 1) speeds.recordCall(`model-${n}`, url, call(1_000, 10));
    await speeds.waitUntilSaved();
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
    expect(Object.keys(kept)).toHaveLength(200);
    expect(kept[`model-299 ${url}`]).toBe(100);
  });
});

describe('hostile', () => {
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
      const index = buildFileIndex(['a.js']);
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
        expect(await elapsedMs(() => findImports(`x.${ending}`, text, index))).toBeLessThan(LIMIT_MS);
      }
    });

    test('a task', async () => {
      for (const part of ['a', 'a/', 'a.', '`', '"', 'aB', 'a_', 'a(', 'a (', '../', '-']) {
        expect(await elapsedMs(() => findTaskWords({ description: filled(part) }))).toBeLessThan(LIMIT_MS);
      }
    });

    test('patterns of .gitattributes', async () => {
      const isGenerated = readGeneratedRules(
        `${'*a'.repeat(90)} linguist-generated\n${'**/'.repeat(60)}x linguist-vendored\n`,
      );
      for (const path of ['a'.repeat(4_000), `${'a'.repeat(4_000)}b`, 'a/'.repeat(2_000)])
        expect(await elapsedMs(() => isGenerated(path))).toBeLessThan(LIMIT_MS);
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
        expect([path, isExcludedFile(path)]).toEqual([path, true]);
      for (const path of ['src/a.js', 'vendors.py', 'distance/x.js', 'go.mod', 'src/minify.js', 'locks.ts'])
        expect([path, isExcludedFile(path)]).toEqual([path, false]);
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
      expect(readGeneratedRules(`# a line\n${pattern} linguist-generated=true\n`)(path)).toBe(marked);
      expect(readGeneratedRules(`${pattern} -linguist-generated`)(path)).toBe(false);
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
      for (const path of [
        'src/latest.js',
        'contest.py',
        'src/attest.go',
        'test/README.md',
        'testing.py',
        'testing/a.go',
      ])
        expect([path, isTest(path)]).toEqual([path, false]);
    });
  });

  describe('what a task names', () => {
    test('files and identifiers, not prose', () => {
      const { paths, identifiers } = findTaskWords({
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
      for (const word of ['round', 'return', 'null', 'should', 'src'])
        expect(identifiers).not.toContain(word);
    });
  });
});
