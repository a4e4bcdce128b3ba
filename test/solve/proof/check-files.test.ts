import { describe, expect, test } from '@jest/globals';
import { findCheckFiles } from '../../../sidecar/solve/proof/check-files.ts';

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
