/**
 * Lists the files that test runners find by themselves, with one row per runner; docs/SECURITY.md documents them. Every row applies to
 * every task, since checks do not depend on files of other runners.
 */
import { posix } from 'node:path';
import { compileGlob } from '../../workspace/files/glob-pattern.ts';
import { isCode } from '../../parsing/definitions/languages.ts';

interface Runner {
  name: string;
  /** Globs of tests and their data. A glob without a slash matches names; others match paths. */
  testGlobs?: string;
  /** Globs of the settings that the runner finds by itself. */
  settingsGlobs?: string;
  /** Matches the start of the runner's commands; set only if its output always contains the number of tests. */
  commandStart?: RegExp;
}

const JS = '{js,jsx,mjs,cjs,ts,tsx,mts,cts}';

export const RUNNERS: readonly Runner[] = [
  {
    name: 'node --test',
    testGlobs: `*.test.${JS} *-test.${JS} *_test.${JS} test-*.${JS} test.${JS} **/{test,tests,Test,Tests}/**`,
    commandStart: /^node\b.* --test(?: |$)/,
  },
  {
    name: 'npm, yarn, pnpm',
    settingsGlobs:
      'package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml {lerna,nx,turbo}.json **/node_modules/**',
  },
  {
    name: 'Jest',
    testGlobs: `*.{spec,test}.${JS} spec.${JS} **/{__tests__,__mocks__,__snapshots__}/**`,
    settingsGlobs: 'jest.config.* jest-preset.* babel.config.* .babelrc* .swcrc',
    commandStart: /^jest\b/,
  },
  {
    name: 'Vitest',
    settingsGlobs: '{vite,vitest}.{config,workspace}.*',
    commandStart: /^vitest (?:run|--run)/,
  },
  { name: 'Jasmine', testGlobs: `*[-_]spec.${JS} *Spec.${JS}`, settingsGlobs: 'jasmine.json' },
  { name: 'Mocha', settingsGlobs: '.mocharc*', commandStart: /^mocha\b/ },
  {
    name: 'AVA, tap, Karma, nyc, c8',
    settingsGlobs: '{ava,karma}.{config,conf}.* .taprc .nycrc* .c8rc* nyc.config.*',
  },
  {
    name: 'Playwright, Cypress, WebdriverIO',
    testGlobs: `*.cy.${JS} **/{e2e,cypress}/**`,
    settingsGlobs: '{playwright,cypress,wdio}*.{config,conf}.*',
  },
  {
    name: 'gulp, grunt, just, task',
    settingsGlobs: '{gulpfile,Gruntfile}.* justfile Justfile Taskfile.{yml,yaml}',
  },
  { name: 'tsc', settingsGlobs: '{ts,js}config*.json' },
  {
    name: 'ESLint, Prettier, Biome, Oxlint',
    settingsGlobs:
      'eslint.config.* .eslintrc* .eslintignore prettier.config.* .prettierrc* .prettierignore biome.json{,c} .oxlintrc.json .editorconfig .stylelintrc*',
  },
  {
    name: 'webpack, Rollup, Deno, Bun',
    settingsGlobs: '{webpack,rollup,tsup}.config.* deno.json{,c} bunfig.toml',
  },
  {
    name: 'pytest',
    testGlobs: 'test_*.py *_test.py',
    settingsGlobs: 'conftest.py pytest.{ini,toml} .pytest.{ini,toml} pyproject.toml tox.{ini,toml} setup.cfg',
    commandStart: /^(?:pytest|py\.test|python[\d.]* -m pytest)\b/,
  },
  {
    name: 'unittest',
    testGlobs: 'test[A-Z0-9]*.py {test,tests}.py',
    commandStart: /^python[\d.]* -m unittest\b/,
  },
  { name: 'Python', settingsGlobs: 'sitecustomize.py usercustomize.py *.pth .coveragerc noxfile.py' },
  {
    name: 'Ruff, flake8, mypy, Pyright, Pylint',
    settingsGlobs: '{,.}ruff.toml .flake8 {,.}mypy.ini pyrightconfig.json {,.}pylintrc',
  },
  {
    name: 'cargo',
    settingsGlobs: 'Cargo.toml build.rs rust-toolchain{,.toml} {,.}{clippy,rustfmt}.toml **/.cargo/**',
    commandStart: /^cargo (?:\+\S+ )?test\b/,
  },
  {
    name: 'go',
    testGlobs: '*_test.go **/testdata/**',
    settingsGlobs: 'go.work .golangci.{yml,yaml,toml,json}',
    commandStart: /^go test\b/,
  },
  {
    name: 'make, CMake, Meson, Bazel',
    settingsGlobs:
      'GNUmakefile makefile Makefile *.mk CMakeLists.txt CTestTestfile.cmake meson.build meson_options.txt BUILD{,.bazel} WORKSPACE MODULE.bazel .bazelrc',
  },
  {
    name: 'prove, bats, shellspec',
    testGlobs: '*.t *.bats',
    settingsGlobs: '.proverc .shellspec .shellcheckrc',
  },
  {
    name: 'RSpec, Minitest, Cucumber',
    testGlobs: '*_spec.rb *_test.rb test_*.rb *.feature',
    settingsGlobs: '.rspec Rakefile .rubocop.yml cucumber.{yml,js}',
  },
  { name: 'PHPUnit, Pest', testGlobs: '*Test.php', settingsGlobs: 'phpunit.xml* phpstan.neon*' },
  { name: 'mix', testGlobs: '*_test.exs', settingsGlobs: 'mix.exs .formatter.exs .credo.exs' },
  {
    name: 'JUnit, Spock, ScalaTest',
    testGlobs: '*{Test,Tests,IT,Spec}.{java,kt,scala,groovy}',
    settingsGlobs:
      'pom.xml {build,settings}.gradle{,.kts} gradle.properties gradlew mvnw build.sbt **/.mvn/**',
  },
  {
    name: 'CTest, GoogleTest, Catch2',
    testGlobs: '{test_*,*_test,*_tests,*Test,*Tests}.{c,cc,cpp,cxx}',
  },
  {
    name: 'dotnet, swift, clang',
    testGlobs: '*Tests.{cs,swift}',
    settingsGlobs:
      '*.{cs,fs,vb}proj *.sln Directory.Build.{props,targets} Package.swift .clang-tidy .clang-format',
  },
  { name: 'approval tests', testGlobs: '*.snap *.approved.*' },
];

const MAX_CACHED_RESULTS = 50_000;

type PathTest = (path: string) => boolean;

/** Returns a function that tests a text against globs. Names and folders repeat in a tree, so results are cached. */
function createGlobTest(globs: readonly string[]): PathTest {
  const matchers = globs.map((glob) => compileGlob(glob));
  const cachedResults = new Map<string, boolean>();
  return (text) => {
    const isMatch = cachedResults.get(text) ?? matchers.some((matches) => matches(text));
    if (cachedResults.size >= MAX_CACHED_RESULTS) cachedResults.clear();
    cachedResults.set(text, isMatch);
    return isMatch;
  };
}

function createMatcher(globs: string): PathTest {
  const all = globs.split(' ').filter(Boolean);
  const matchesName = createGlobTest(all.filter((glob) => !glob.includes('/')));
  // A glob with a slash ends with `/**`: it matches all files of a folder or none.
  const matchesFolder = createGlobTest(all.filter((glob) => glob.includes('/')));
  return (markedPath) => {
    // A path that is not valid UTF-8 is marked by a NUL byte at its start.
    const path = markedPath.replace(/^\0/, '');
    return matchesName(posix.basename(path)) || matchesFolder(`${posix.dirname(path)}/file`);
  };
}

/** Returns whether a path is a test or its data by the default rules of any runner. */
export const isTestByDefault = createMatcher(RUNNERS.map(({ testGlobs = '' }) => testGlobs).join(' '));
/** Returns whether a path is a test, or data of a test in the form of text. */
export const isTest = (path: string): boolean =>
  isTestByDefault(path) && (isCode(path) || /\.(?:json|txt|snap)$/.test(path));
/** Returns whether a runner loads a path as its settings by itself. */
export const isSettings = createMatcher(RUNNERS.map(({ settingsGlobs = '' }) => settingsGlobs).join(' '));

/**
 * Returns the runner that a simple command starts, directly or through other programs, if its output always contains the number of tests.
 */
export function runnerOf(words: readonly string[]): string | undefined {
  const lines = words.map((word, position) => [posix.basename(word), ...words.slice(position + 1)].join(' '));
  return RUNNERS.find(({ commandStart }) => commandStart && lines.some((line) => commandStart.test(line)))
    ?.name;
}
