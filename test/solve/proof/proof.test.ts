import { afterAll, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../../sidecar/protocol/result.ts';
import { findCheckFiles } from '../../../sidecar/solve/proof/check-files.ts';
import { specialCaseOf } from '../../../sidecar/solve/proof/special-case.ts';
import { changesOwnTests } from '../../../sidecar/solve/proof/tests-in-sources.ts';
import { draftRuns, nothing, RUNNING_CHECK } from '../../drafts/draft-runs.ts';
import { call, say, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { prepared } from '../../workspace/prepared.ts';
import { cleanUp, repository } from '../../workspace/repositories.ts';

describe('what shell tests run', () => {
  const found = async (files: Record<string, string>, command = 'sh test.sh'): Promise<string[]> => {
    const { files: loaded } = await findCheckFiles({
      commands: [command],
      changed: Object.keys(files).filter((path) => path !== 'test.sh'),
      base: { read: (path: string) => Promise.resolve(files[path]) },
      baseFiles: new Set(Object.keys(files)),
      isPermitted: () => false,
    });
    return loaded.map(({ path }) => path);
  };

  test('is what they test', async () => {
    const runs = '# Tests of link.sh\nsh link.sh list\n./bin/link list\n';
    expect(await found({ 'test.sh': runs, 'link.sh': '', 'bin/link': '' })).toEqual([]);
  });

  test.each(['. ./lib.sh', 'source lib.sh', '. "$here/lib.sh"', 'cd x && . "${here}/lib.sh"'])(
    'but what they source is a part of them: %s',
    async (line) =>
      expect(await found({ 'test.sh': `#!/bin/sh\n${line}\n`, 'lib.sh': '' })).toEqual(['lib.sh']),
  );

  test('so is what is named as a script of checks', async () => {
    const scripts = ['scripts/setup.sh', 'assert.sh', 'run-all.sh', 'helpers.sh', 'cases.sh'];
    const runs = scripts.map((path) => `sh ${path}\n`).join('');
    const files = Object.fromEntries(scripts.map((path) => [path, '']));
    expect(await found({ 'test.sh': runs, ...files })).toEqual(scripts);
  });

  test('so is what a package says that it runs', async () => {
    const scripts = { 'package.json': '{"scripts":{"test":"sh prepare.sh"}}', 'prepare.sh': '' };
    expect(await found({ 'test.sh': 'npm test\n', ...scripts })).toContain('prepare.sh');
  });

  test('what a script runs that is no test belongs to the checks', async () =>
    expect(await found({ 'ci.sh': 'sh prepare.sh\nsh test.sh\n', 'prepare.sh': '' }, 'sh ci.sh')).toEqual([
      'ci.sh',
      'prepare.sh',
    ]));
});

describe('files that checks load', () => {
  const found = async (command: string, changed: string[], base: Record<string, string> = {}) => {
    const files = { ...base, ...Object.fromEntries(changed.map((path) => [path, base[path] ?? ''])) };
    const { files: loaded } = await findCheckFiles({
      commands: [command],
      changed,
      base: { read: (path: string) => Promise.resolve(files[path]) },
      baseFiles: new Set(Object.keys(files)),
      isPermitted: () => false,
    });
    return loaded.map(({ path }) => path);
  };

  test.each([
    'pytest.toml',
    'tox.toml',
    'ruff.toml',
    '.flake8',
    'mypy.ini',
    'pyrightconfig.json',
    '.pylintrc',
    '.eslintignore',
    '.prettierignore',
    '.golangci.yml',
    '.rubocop.yml',
    '.clang-tidy',
    'CTestTestfile.cmake',
    'meson.build',
    'BUILD.bazel',
    '.bazelrc',
    'src/App.csproj',
    'Directory.Build.props',
    'build.sbt',
    'Package.swift',
    'src/setupTests.ts',
    'jest-preset.js',
    'jest.config.mjs',
    'src/OrderSpec.scala',
    'src/OrderIT.java',
    'features/a.feature',
    'a.bats',
    't/basic.t',
    'src/a.cy.ts',
    'out.approved.txt',
    'golden/a.out',
    'lib/snapshots/a',
    'expected/a.html',
    'test/fixtures/deep/a.bin',
  ])('by its name: %s', async (path) => expect(await found('make check', [path])).toEqual([path]));

  test.each([
    'src/specific.js',
    'src/inspect.ts',
    'README.md',
    'src/unexpected/a.py',
    'src/t.ts',
    'src/golden.go',
  ])('not by its name: %s', async (path) => expect(await found('make check', [path])).toEqual([]));

  test('what a makefile includes', async () => {
    const base = { Makefile: '-include $(TOP)/rules.inc other.inc\n\ncheck:\n\t./prog\n' };
    expect(await found('make check', ['rules.inc', 'other.inc', 'third.inc'], base)).toEqual([
      'rules.inc',
      'other.inc',
    ]);
  });

  test.each([
    ['node --require ./hook --test', {}],
    ['node --test --import=./hook.js', {}],
    ['npm test', { 'package.json': '{"scripts":{"test":"mocha -r ./hook.js"}}' }],
    ['npm test', { 'package.json': '{"jest":{"setupFiles":["<rootDir>/hook.js"]}}' }],
    ['npx jest', { 'jest.config.js': "module.exports = { setupFilesAfterEnv: ['./hook.js'] };" }],
  ])('a module that is loaded before the tests: %s %j', async (command, base) =>
    expect(await found(command, ['hook.js', 'main.js'], base)).toEqual(['hook.js']),
  );
});

/** Verified is a fact about a commit: what passes only beside the work is not; `execute` clones what is verified. */
describe('fresh clone', () => {
  afterAll(cleanUp);

  const CHECK = 'node --test';
  const SUM = `const test = require('node:test'); const assert = require('node:assert'); const { sum } = require('./sum.js');
test('adds', () => assert.equal(sum(1, 2), 3));
test('zero', () => assert.equal(sum(0, 0), 0));
`;

  async function attempt(does: string, check: string, seconds?: number): Promise<TaskResult> {
    const repo = repository({
      'package.json': '{"scripts":{"test":"node --test"}}\n',
      'sum.js': 'exports.sum = (a, b) => a - b;\n',
      'sum.test.js': SUM,
      '.gitignore': 'node_modules/\nlib/\nlocal.js\nlog\n',
    });
    const server = await testModel({
      models: [{ name: 'm' }],
      turns: [call('shell', { command: does }), { ...say('Done.'), repeat: 'always' }],
    });
    const workspace = await prepared({ task_id: 't1', repo });
    const { result } = await execute({
      server,
      config: { solving: { strategy: 'loop' }, ...(seconds !== undefined && { brief: { seconds } }) },
      task: {
        description: 'sum in sum.js subtracts; make it add.',
        verification_steps: [{ type: 'command_succeeds', target: check }],
        max_verification_retries: 0,
      },
      execute: { workspace },
    });
    return result;
  }

  const module = (path: string) => `echo 'exports.sum = (a, b) => a + b;' > ${path}`;

  test.each([
    ['the work', "sed -i 's/a - b/a + b/' sum.js", CHECK, 'verified'],
    [
      'an ignored folder',
      `mkdir lib; ${module('lib/adder.js')}; echo "module.exports = require('./lib/adder.js');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'an ignored file',
      `${module('local.js')}; echo "module.exports = require('./local.js');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'a package that nobody installed',
      `mkdir -p node_modules/adder; ${module('node_modules/adder/index.js')}; echo "module.exports = require('adder');" > sum.js`,
      CHECK,
      'failed',
    ],
    [
      'a module in the home',
      `mkdir -p ~/.node_modules/adder; ${module('~/.node_modules/adder/index.js')}; echo "module.exports = require('adder');" > sum.js`,
      CHECK,
      'failed',
    ],
    ['a pipe', "echo '// looked at' >> sum.js", 'node --test | tee log', 'failed'],
    ['a dropped failure', "echo '// looked at' >> sum.js", 'node --test || true', 'failed'],
  ])('%s: %#', async (_what, does, check, expected) => {
    const result = await attempt(does, check);
    expect(result.verification_status).toBe(expected);
  });

  test('what a check wrote is no work, and gone in the next run', async () => {
    const check = `[ -e baseline ] || { echo new > baseline; mkdir -p lib; echo x > lib/baseline; exit 1; }`;
    const result = await attempt("echo '// looked at' >> sum.js", check, 0);
    expect(result).toMatchObject({ verification_status: 'failed', changes: { files: [{ path: 'sum.js' }] } });
  });
});

/** Tests inside sources: a changed or lost one counts, a new one and all else do not. */
const PYTHON = `def add(a, b):
    """Adds.

    >>> add(1, 2)
    3
    >>> add(0, 0)
    0
    """
    return a - b


if __name__ == '__main__':
    assert add(1, 2) == 3
`;
const RUST = `/// \`\`\`
/// assert_eq!(c::add(1, 2), 3);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
}
`;

test.each([
  ['a value of a doctest', 'a.py', PYTHON, '    3\n', '    -1\n'],
  ['a lost doctest', 'a.py', PYTHON, '    >>> add(0, 0)\n    0\n', ''],
  ['a skipped doctest', 'a.py', PYTHON, 'add(1, 2)\n', 'add(1, 2)  # doctest: +SKIP\n'],
  ['an assertion of the main part', 'a.py', PYTHON, 'assert add(1, 2) == 3', 'assert True'],
  ['a test of a module', 'lib.rs', RUST, 'add(1, 2), 3); }', 'add(1, 2), -1); }'],
  ['an ignored test', 'lib.rs', RUST, '#[test]', '#[test]\n    #[ignore]'],
  ['a module that is compiled out', 'lib.rs', RUST, '#[cfg(test)]', '#[cfg(none)]'],
  ['an example of Rust', 'lib.rs', RUST, 'c::add(1, 2), 3', 'c::add(1, 2), -1'],
])('%s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(changesOwnTests(path, before, before.replace(from, to))).toBe(true);
});

test.each([
  ['the code', 'a.py', PYTHON, 'a - b', 'a + b'],
  ['a new doctest', 'a.py', PYTHON, '    >>> add(0, 0)', '    >>> add(2, 2)\n    4\n    >>> add(0, 0)'],
  ['the words around it', 'a.py', PYTHON, 'Adds.', 'Adds two numbers.'],
  [
    'a main part that checks nothing',
    'b.py',
    "if __name__ == '__main__':\n    main()\n",
    'main()',
    'main(1)',
  ],
  ['the code of Rust', 'lib.rs', RUST, 'a - b', 'a + b'],
  [
    'a new test',
    'lib.rs',
    RUST,
    '3); }\n}',
    '3); }\n\n    #[test]\n    fn zero() { assert_eq!(add(0, 0), 0); }\n}',
  ],
  ['another language', 'a.js', '// >>> 1\n// 1\n', '1', '2'],
])('not %s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(changesOwnTests(path, before, before.replace(from, to))).toBe(false);
});

/** Changes that pass because they know the values of the tests. */
const TESTS = `assert.equal(parse('2d'), 172_800_000);
assert.equal(parse("1h"), 3600000);
expect(split(1000, 3)).toEqual([334, 333, 333]);
assert.equal(name(''), 'a');
`;
const BEFORE = 'function parse(text) {\n  if (text === "1h") return 3_600_000;\n  return NaN;\n}\n';

const after = (line: string) => BEFORE.replace('  return NaN', `  ${line}\n  return NaN`);
const ask = (line: string, task = '') =>
  specialCaseOf([{ path: 'parse.js', before: BEFORE, after: after(line) }], { tests: TESTS, task });

describe('a value of the tests that a change asks for', () => {
  test.each([
    ["if (text === '2d') return 172800000;", "'2d'"],
    ['if (text == "2d") return 172800000;', '"2d"'],
    ["if ('2d' === text) return 172800000;", "'2d'"],
    ["switch (text) { case '2d': return 1; }", "'2d'"],
    ['if (total === 1_000) return shares;', '1_000'],
    ['if [ "$1" -eq 1000 ]; then', '1000'],
  ])('%s', (line, value) => {
    expect(ask(line)).toBe(value);
  });

  test.each([
    ['a value that the tests do not hold', "if (text === '7w') return 1;"],
    ['a value that is returned and not asked for', 'const day = 172_800_000;'],
    ['a short value', "if (text === '' || text === 'a' || size === 3) return 1;"],
    ['a value that a remainder is taken by', 'if (n % 1000 === 0) return 1;'],
    ['a number of things', 'if (text.length === 1000) return 1;'],
    ['a value that the file knew', "if (text.trim() === '1h') return 1;"],
  ])('%s is none', (_what, line) => {
    expect(ask(line)).toBeUndefined();
  });

  test('nor is one that the task names', () => {
    expect(ask("if (text === '2d') return 1;", 'parse("2d") is 1')).toBeUndefined();
  });

  test('a new file has no text before', () => {
    const files = [{ path: 'new.js', after: "export const is = (text) => text === '2d';\n" }];
    expect(specialCaseOf(files, { tests: TESTS, task: '' })).toBe("'2d'");
  });

  test('a long hostile line takes no time', () => {
    expect(ask(`if (text === '${'\\'.repeat(100_000)}`)).toBeUndefined();
    expect(ask('=== '.repeat(50_000))).toBeUndefined();
  });
});

/** Work that was stopped before it was said to be done, with checks that cannot tell half of it from the whole. */
const { run, writeSource } = draftRuns();

const HALF = 'export function add(a, b) {\n  return Number(a) + b;\n}\n';
const edits = [{ ...call('write_file', { path: 'src/add.js', content: HALF }), repeat: 'always' as const }];

test.each([
  ['passed before it: partial work', 'export function add(a, b) {\n  return a + b;\n}\n', 'partial_pass'],
  ['failed before it: the checks tell that it is done', undefined, 'verified'],
])('the checks %s', async (_what, source, expected) => {
  if (source !== undefined) writeSource(source);
  const { result } = await run([nothing], edits, {
    config: { solving: { strategy: 'loop' } },
    task: {
      description: 'add takes texts as well as numbers.',
      verification_steps: [{ type: 'command_succeeds', target: RUNNING_CHECK }],
    },
  });
  expect(result).toMatchObject({
    termination_reason: 'repetition',
    verification_status: expected,
    changes: { files: [{ path: 'src/add.js' }] },
  });
  const remaining = expected === 'verified' ? [] : [expect.stringMatching(/stopped \(repetition\)/u)];
  expect(result.remaining).toEqual(expect.arrayContaining(remaining));
});
