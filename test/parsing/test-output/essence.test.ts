/**
 * The outputs were printed by the real runners (`make-outputs.mjs`). What is shown of each is kept beside it and compared
 * whole; `UPDATE_ESSENCES=1` writes it anew, to be read before it is committed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { compareTestOutcomes } from '../../../sidecar/parsing/test-output/compare-outcomes.ts';
import { summaryOf } from '../../../sidecar/parsing/test-output/summary.ts';
import { essenceOf } from '../../../sidecar/parsing/test-output/essence.ts';
import type { EssenceContext } from '../../../sidecar/parsing/test-output/essence.ts';
import type { Essence } from '../../../sidecar/parsing/test-output/types.ts';

const folder = join(import.meta.dirname, 'outputs');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4));
const outputOf = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');

const files = new Set(['total/total_test.go', 'total/total.go', 'src/total.js', 'make.py']);
const context: EssenceContext = {
  workspaceDir: '/workspace',
  hasFailed: true,
  isFile: (path) => files.has(path),
};
const essence = (name: string): Essence => essenceOf(outputOf(name), context);

describe('real outputs', () => {
  test.each(names)('%s', (name) => {
    const path = join(folder, `${name}.essence`);
    const found = essence(name);
    const shown = `${found.text}\n`;
    if (process.env.UPDATE_ESSENCES || !existsSync(path)) writeFileSync(path, shown);
    expect(shown).toBe(readFileSync(path, 'utf8'));
    expect(found.text.length).toBeLessThanOrEqual(1_800);
    // Frames of runtimes and packages, this machine's paths, colours and durations.
    expect(found.text).not.toMatch(
      /node_modules|site-packages|node:internal|\/workspace|\(\d+(?:\.\d+)?ms\)/,
    );
    expect(found.text).not.toContain('\u001B');
    expect(found.runner).not.toBe('other');
  });

  const js = [
    ['total > counts each item as often as it was taken', '6', '2'],
    ['total > gives a summary', undefined, undefined],
    ['first > is empty for no items', undefined, undefined],
  ];
  test.each(['jest', 'vitest', 'mocha', 'node-spec', 'node-tap'])(
    '%s: names, values, frames and counts',
    (runner) => {
      const { failed, passed, errors } = essence(`${runner}-failing`);
      expect(failed.slice(0, 3).map(({ name, expected, actual }) => [name, expected, actual])).toEqual(js);
      expect(failed[2]?.frame).toEqual({ path: 'src/total.js', line: 8 });
      expect(failed[2]?.message).toBe("TypeError: Cannot read properties of undefined (reading 'name')");
      expect(failed[1]?.message).toMatch(/currency: 'EUR'|"currency": "EUR"/);
      expect([passed, errors]).toEqual([1, []]);
      expect(essence(`${runner}-many`)).toMatchObject({ passed: 10, failed: { length: 30 } });
    },
  );

  test.each(['jest', 'vitest', 'mocha', 'node-spec', 'node-tap', 'pytest', 'unittest'])(
    '%s: what keeps tests from running, with its place',
    (runner) => {
      const [missing] = essence(`${runner}-import`).errors;
      expect(missing?.message).toMatch(/Cannot find module|No module named 'gone'/);
      expect(missing?.place?.path).toMatch(/^(test\/total\.test\.js|test_a\.py)$/);
      const [broken] = essence(`${runner}-syntax`).errors;
      expect(broken?.message).toMatch(/Unexpected token|Expression expected|expected ':'/);
    },
  );

  test.each(['packages/a test: ', 'app:test: ', '[app]: ', '[0] '])(
    'a package named before each line, as "%s", changes nothing',
    (prefix) => {
      const lines = (text: string) => `> run all\n${text.replaceAll(/^/gm, prefix)}\nExit status 1\n`;
      for (const runner of ['jest', 'vitest', 'mocha', 'node-spec', 'pytest']) {
        const [one, both] = [outputOf(`${runner}-failing`), outputOf(`${runner}-many`)].map((text) =>
          essenceOf(lines(text), context),
        );
        const plain = [`${runner}-failing`, `${runner}-many`].map((name) =>
          essenceOf(outputOf(name), context),
        );
        expect([one, both].map((found) => [found?.passed, found?.failed, found?.passing])).toEqual(
          plain.map((found) => [found.passed, found.failed, found.passing]),
        );
      }
      const mixed =
        outputOf('vitest-failing').replaceAll(/^/gm, 'a test: ') +
        outputOf('jest-failing').replaceAll(/^/gm, 'b test: ');
      expect(essenceOf(mixed, context)).toMatchObject({ runner: 'Vitest, Jest', passed: 2 });
    },
  );

  test('unittest: an expected failure is none', () => {
    const green = '...\n' + '-'.repeat(70) + '\nRan 3 tests in 0.001s\n\nOK (expected failures=1)\n';
    expect(essenceOf(green, { ...context, hasFailed: false })).toMatchObject({
      runner: 'unittest',
      failed: [],
    });
  });

  test('pytest: a doctest has one name, in a module and in a text', () => {
    const red = [
      '_____ [doctest] semver.version.bump _____',
      '003 >>> bump(1)',
      'Expected:',
      '    2',
      '_____ [doctest] usage.rst _____',
      '001 >>> bump(1)',
      '=== short test summary info ===',
      'FAILED src/semver/version.py::semver.version.bump',
      'FAILED docs/usage.rst::usage.rst',
      '2 failed in 0.10s',
    ].join('\n');
    const names = ['src/semver/version.py::semver.version.bump', 'docs/usage.rst::usage.rst'];
    expect(essenceOf(red, context).failed.map(({ name }) => name)).toEqual(names);
  });

  test('pytest: the same failures whatever the style of tracebacks', () => {
    const ids = (name: string) => essence(`pytest-${name}`).failed.map(({ name }) => name);
    expect(ids('failing')).toEqual([
      'tests/test_total.py::test_with_server (setup)',
      'tests/test_total.py::TestQuantity::test_counts_each_item',
      'tests/test_total.py::test_first[ b-B]',
      'tests/test_total.py::test_summary',
      'tests/test_total.py::test_no_items',
      'tests/test_total.py::test_raises',
    ]);
    for (const style of ['quiet', 'short', 'native', 'line']) expect(ids(style)).toEqual(ids('failing'));
    for (const style of ['failing', 'quiet', 'short', 'native', 'line']) {
      const found = essence(`pytest-${style}`);
      expect(found.passed).toBe(2);
      expect(found.failed[4]?.frame).toEqual({ path: 'shop/total.py', line: 6 });
    }
  });

  test('go: places in their folder, a panic at its frame, a time-out by its test', () => {
    for (const name of ['go-failing', 'go-verbose'])
      expect(essence(name).failed).toEqual([
        {
          name: 'TestQuantity/three_of_it',
          place: { path: 'total/total_test.go', line: 21 },
          message: 'Total() = 2, want 6',
        },
      ]);
    expect(essence('go-panic').failed).toMatchObject([
      { name: 'TestFirst', frame: { path: 'total/total.go', line: 18 } },
    ]);
    expect(essence('go-timeout').failed).toMatchObject([
      { name: 'TestSlow', frame: { path: 'total/total_test.go', line: 8 } },
    ]);
    expect(essence('go-build').errors).toMatchObject([{ place: { path: 'total/total_test.go', line: 20 } }]);
  });

  test.each([
    ['ava', ['a > subtracts', 'b > b throws'], 2],
    ['ctest', ['keeps'], 1],
    ['gradle', ['org.example.AppTest > addsPrices'], 1],
    ['maven', ['org.example.AppTest > addsPrices'], 1],
    ['prove', ['p/a.t > test 2', 'p/a.t > test 3', 'p/b.t'], 2],
    [
      'rspec',
      [
        'total counts each item as often as it was taken',
        'total gives a summary',
        'total first is empty for no items',
      ],
      1,
    ],
    [
      'phpunit',
      [
        'TotalTest::testNoItems',
        'TotalTest::testCountsEachItem',
        'TotalTest::testSummary',
        `TotalTest::testWord with data set "other" ('b')`,
      ],
      2,
    ],
  ])('%s: names and counts', (runner, names, passed) => {
    const found = essence(`${runner}-failing`);
    expect([found.failed.map(({ name }) => name), found.passed]).toEqual([names, passed]);
  });

  test('dotnet test: names, values, places and counts', () => {
    const printed = `/workspace/Shop/Cart.cs(9,5): error CS0103: The name 'x' does not exist [/workspace/Shop/Shop.csproj]
Starting test execution, please wait...
A total of 1 test files matched the specified pattern.
  Passed Shop.Tests.CartTests.AddsUp [2 ms]
  Failed Shop.Tests.CartTests.Counts(quantity: 3) [8 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 6
Actual:   2
  Stack Trace:
     at Shop.Tests.CartTests.Counts(Int32 quantity) in /workspace/Shop.Tests/CartTests.cs:line 14
   at System.RuntimeMethodHandle.InvokeMethod(Object target)
  Skipped Shop.Tests.CartTests.Rounds [1 ms]

Failed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 9 ms - Shop.Tests.dll (net8.0)
`;
    expect(essenceOf(printed, context)).toMatchObject({
      runner: 'dotnet test',
      passed: 1,
      passing: ['Shop.Tests.CartTests.AddsUp'],
      skipped: 1,
      failed: [
        {
          name: 'Shop.Tests.CartTests.Counts(quantity: 3)',
          expected: '6',
          actual: '2',
          message: 'Assert.Equal() Failure: Values differ',
          frame: { path: 'Shop.Tests/CartTests.cs', line: 14 },
        },
      ],
      errors: [{ place: { path: 'Shop/Cart.cs', line: 9 } }],
    });
  });

  test('the same text for two runs of the same code', () => {
    const once = outputOf('node-spec-failing');
    const again = once.replaceAll(
      /\((\d+\.\d+)ms\)/g,
      (_, ms: string) => `(${(Number(ms) * 3.7).toFixed(6)}ms)`,
    );
    expect(again).not.toBe(once);
    expect(essenceOf(again, context).text).toBe(essenceOf(once, context).text);
    const object = outputOf('pytest-failing').replaceAll('0x7efeaa7bf8d0', '0x7f00aa7bf111');
    expect(essenceOf(object, context).text).toBe(essence('pytest-failing').text);
  });

  test('a compiler and then tests in one command', () => {
    const both = essenceOf(outputOf('tsc-failing') + outputOf('jest-failing'), context);
    expect(both.runner).toBe('Jest, tsc');
    expect([both.errors.length, both.failed.length, both.passed]).toEqual([5, 4, 1]);
  });
});

describe('other outputs', () => {
  test('lines that name an error or a file of the workspace, and the last ones', () => {
    const output = [
      ...Array.from({ length: 200 }, (_, index) => `step ${index} done in ${index}.5 s`),
      'reading make.py:3',
      'fatal: something is wrong with the thing',
      ...Array.from({ length: 30 }, (_, index) => `cleaning ${index}`),
      'bye',
    ].join('\n');
    const { runner, text, errors } = essenceOf(output, context);
    expect(runner).toBe('other');
    expect(text).toContain('fatal: something is wrong');
    expect(text).toMatch(/bye$/);
    expect(text).not.toContain('step 5 ');
    expect(errors[0]?.place).toEqual({ path: 'make.py', line: 3 });
  });

  test('a program that ended by an error of its own', () => {
    const output = [
      '/workspace/src/total.js:3',
      '  items[0].name',
      '           ^',
      '',
      "TypeError: Cannot read properties of undefined (reading 'name')",
      '    at first (/workspace/src/total.js:3:12)',
      '    at node:internal/main/run_main_module:28:49',
    ].join('\n');
    const { text } = essenceOf(output, context);
    expect(text).toContain("src/total.js:3: TypeError: Cannot read properties of undefined (reading 'name')");
    expect(text).not.toContain('node:internal');
  });

  test('an assertion outside of a test runner is told by its values', () => {
    const printed = `node:assert:90
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

NaN !== 0

    at Object.<anonymous> (/workspace/src/total.js:4:8)
    at Module._compile (node:internal/modules/cjs/loader:1521:14) {
  generatedMessage: true,
  code: 'ERR_ASSERTION'
}
`;
    expect(essenceOf(printed, context).text).toBe(
      'node: 1 error\nERROR src/total.js:4: AssertionError: expected 0, got NaN',
    );
  });

  test('what a script prints stays in its order, also where two values are equal', () => {
    const printed = 'ok 1\nFAIL sorted\nexpected:\na\nb\ngot:\nb\na\n1 of 4 failed\n';
    expect(essenceOf(printed, context).text).toBe(printed.replace('ok 1\n', '').trim());
  });

  test('a text that is another one is told by both, without the mark below it', () => {
    const printed = `TAP version 13
# Subtest: cuts
not ok 1 - cuts
  ---
  error: |-
    Expected values to be strictly equal:
    + actual - expected

    + 'abcdef…'
    - 'abcde…'
            ^

  code: 'ERR_ASSERTION'
  ...
1..1
# pass 0
# fail 1
`;
    expect(essenceOf(printed, context).text).toContain("expected 'abcde…', got 'abcdef…'");
  });

  test('a folder `internal` of the workspace is its own', () => {
    const printed =
      '--- FAIL: TestReserve (0.00s)\n    stock_test.go:15: got 1\nFAIL\nFAIL\texample.com/x/internal/stock\t0.002s\n';
    const own = { ...context, isFile: (path: string) => path === 'internal/stock/stock_test.go' };
    expect(essenceOf(printed, own).failed[0]?.place).toEqual({
      path: 'internal/stock/stock_test.go',
      line: 15,
    });
  });

  test('a run in which nothing fails is a number', () => {
    expect(essenceOf('ℹ tests 5\nℹ pass 5\nℹ fail 0\n', {}).text).toBe('node:test: 0 failed, 5 passed');
    expect(essenceOf('', {}).text).toBe('');
  });

  test('a command that failed although its tests pass shows its lines', () => {
    const output = 'ℹ tests 5\nℹ pass 5\nℹ fail 0\nError: coverage of 71 % is below 80 %\n';
    expect(essenceOf(output, { hasFailed: true }).text).toContain('coverage of 71 %');
  });
});

test('a command that asked for the network in vain says first that there is none', () => {
  const note = '\n[There is no network in checks and commands]\n';
  expect(essenceOf(`npm error code ENOTCACHED\n${note}`, context).text).toMatch(
    /^there is no network in checks\nnpm error/,
  );
  const { text } = essenceOf(outputOf('jest-failing') + note, context);
  expect(text).toMatch(/^Jest: .*\nERROR there is no network in checks\n/);
  const missing =
    'sh: 1: uvx: not found\n\n[Not in the sandbox: uvx is in /home/me/bin, which is not on the PATH]\n';
  expect(essenceOf(missing, { hasFailed: true }).text).toMatch(/^uvx is in \/home\/me\/bin, which is not/);
});

describe('size and time', () => {
  test('the first failure stays, however little room there is', () => {
    for (const maxTokens of [0, 40, 80, 200, 600]) {
      const { text } = essenceOf(outputOf('jest-many'), { ...context, maxTokens });
      expect(text).toContain('FAIL case 1 ');
      expect(text).toContain('expected 2, got 1');
      expect(text.length).toBeLessThanOrEqual(Math.max(400, maxTokens * 3));
    }
    const { text } = essenceOf(outputOf('jest-many'), { ...context, maxTokens: 200 });
    expect(text).toMatch(/and \d+ more/);
  });

  test('50 MB are read by their ends', () => {
    const noise = 'a line that says nothing at all, over and over again\n'.repeat(1_000_000);
    const output = outputOf('node-spec-failing').replace('✖ failing tests:', `${noise}✖ failing tests:`);
    const startedMs = performance.now();
    const { failed } = essenceOf(output, context);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(failed.map(({ name }) => name)).toContain('total > gives a summary');
  });

  const megabyte = (text: string): string => text.repeat(Math.ceil(1_000_000 / text.length));
  test.each([
    ['one line', 'x'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['long words', megabyte(`${'a'.repeat(990)}\n`)],
    ['paths', megabyte('a/b.c/'.repeat(160) + '\n')],
    ['frames', megabyte('    at x (/workspace/a.js:1:1)\n')],
    ['broken frames', megabyte(`    at ${'( '.repeat(400)}\n`)],
    ['titles', megabyte('  ● a › b\n')],
    ['a title and lines of spaces', `  ● a › b\n\n${`${' '.repeat(900)}x\n`.repeat(100)}`],
    ['failing lines', megabyte('not ok 1 - a\n')],
    ['nested suites', megabyte('▶ a\n  ✖ b (1ms)\n')],
    ['headers', megabyte('____ a ____\n')],
    ['pytest summary', megabyte('FAILED a.py::b - c\n')],
    ['panics', megabyte('--- FAIL: A (0.00s)\npanic: a\n\n')],
    ['errors', megabyte('AError: b\n')],
    ['escapes', megabyte('\u001B[')],
    ['titles of terminals', megabyte('\u001B]0;')],
    ['xml', `<testsuites>\n${megabyte('<testcase name="a"><failure>\n')}`],
    ['xml quotes', `<testsuites>\n${megabyte('<testcase a="\n')}`],
    ['rules', megabyte('='.repeat(70) + '\nFAIL: a (b.a)\n')],
    ['mocha', `  1 passing (1ms)\n  9 failing\n${megabyte('  1) a\n')}`],
    ['tsc', megabyte('a.ts(1,1): error TS1: a\n')],
    ['rust', megabyte('---- a stdout ----\nerror[E0001]: a\n')],
  ])('hostile: %s', (_name, text) => {
    const startedMs = performance.now();
    const found = essenceOf(text, context);
    const elapsedMs = performance.now() - startedMs;
    expect(found.text.length).toBeLessThanOrEqual(1_900);
    // 100 ms per MB on an idle machine; the limit leaves room for a busy one and still refuses anything quadratic.
    expect(elapsedMs).toBeLessThan(10_000);
  });
});

describe('two runs compared', () => {
  const before = summaryOf(essence('jest-failing'));
  test('what passes now and what broke', () => {
    const after = essenceOf(
      outputOf('jest-failing').replace('● total › gives a summary', '● total › is new'),
      context,
    );
    expect(compareTestOutcomes(before, summaryOf(after))).toEqual({
      fixed: ['total > gives a summary'],
      broken: ['total > is new'],
      still: [
        'total > counts each item as often as it was taken',
        'first > is empty for no items',
        'first > answers in time',
      ],
    });
  });

  test('tests that did not run are not fixed', () => {
    const after = essence('jest-syntax');
    expect(after.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('SyntaxError') }),
    ]);
    expect(compareTestOutcomes(before, summaryOf(after)).fixed).toEqual([]);
  });
});

test('a test has one name, whether it passes or fails', () => {
  const names = ['a_test.py::test_s[one two]', String.raw`a_test.py::test_s[a\nb]`];
  const lines = (word: string, more = ''): string => names.map((name) => `${word} ${name}${more}\n`).join('');
  const passed = essenceOf(`${lines('PASSED')}2 passed in 0.01s\n`, { ...context, hasFailed: false });
  const failed = essenceOf(`${lines('FAILED', ' - assert 1 == 2')}2 failed in 0.01s\n`, context);
  expect(summaryOf(passed).passing).toEqual(names);
  expect(summaryOf(failed).failed).toEqual(names);
  const tap =
    'TAP version 14\n# Subtest: a.js\n    ok 1 - adds # time=22.37ms\n    1..1\nok 1 - a.js # time=30ms\n1..1\n';
  expect(summaryOf(essenceOf(tap, { ...context, hasFailed: false })).passing).toEqual([
    'a.js > adds',
    'a.js',
  ]);
  const red = tap.replaceAll(/ok 1/g, 'not ok 1');
  expect(summaryOf(essenceOf(red, { ...context, hasFailed: true })).failed).toEqual(['a.js > adds', 'a.js']);
});
