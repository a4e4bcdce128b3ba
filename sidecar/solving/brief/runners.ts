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
  tests?: string;
  /** Globs of the settings that the runner finds by itself. */
  settings?: string;
  /** Matches the start of the runner's commands; set only if its output always contains the number of tests. */
  starts?: RegExp;
}

const JS = '{js,jsx,mjs,cjs,ts,tsx,mts,cts}';

export const RUNNERS: readonly Runner[] = [
  {
    name: 'node --test',
    tests: `*.test.${JS} *-test.${JS} *_test.${JS} test-*.${JS} test.${JS} **/{test,tests,Test,Tests}/**`,
    starts: /^node\b.* --test(?: |$)/,
  },
  {
    name: 'npm, yarn, pnpm',
    settings:
      'package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml {lerna,nx,turbo}.json **/node_modules/**',
  },
  {
    name: 'Jest',
    tests: `*.{spec,test}.${JS} spec.${JS} **/{__tests__,__mocks__,__snapshots__}/**`,
    settings: 'jest.config.* jest-preset.* babel.config.* .babelrc* .swcrc',
    starts: /^jest\b/,
  },
  { name: 'Vitest', settings: '{vite,vitest}.{config,workspace}.*', starts: /^vitest (?:run|--run)/ },
  { name: 'Jasmine', tests: `*[-_]spec.${JS} *Spec.${JS}`, settings: 'jasmine.json' },
  { name: 'Mocha', settings: '.mocharc*', starts: /^mocha\b/ },
  {
    name: 'AVA, tap, Karma, nyc, c8',
    settings: '{ava,karma}.{config,conf}.* .taprc .nycrc* .c8rc* nyc.config.*',
  },
  {
    name: 'Playwright, Cypress, WebdriverIO',
    tests: `*.cy.${JS} **/{e2e,cypress}/**`,
    settings: '{playwright,cypress,wdio}*.{config,conf}.*',
  },
  {
    name: 'gulp, grunt, just, task',
    settings: '{gulpfile,Gruntfile}.* justfile Justfile Taskfile.{yml,yaml}',
  },
  { name: 'tsc', settings: '{ts,js}config*.json' },
  {
    name: 'ESLint, Prettier, Biome, Oxlint',
    settings:
      'eslint.config.* .eslintrc* .eslintignore prettier.config.* .prettierrc* .prettierignore biome.json{,c} .oxlintrc.json .editorconfig .stylelintrc*',
  },
  {
    name: 'webpack, Rollup, Deno, Bun',
    settings: '{webpack,rollup,tsup}.config.* deno.json{,c} bunfig.toml',
  },
  {
    name: 'pytest',
    tests: 'test_*.py *_test.py',
    settings: 'conftest.py pytest.{ini,toml} .pytest.{ini,toml} pyproject.toml tox.{ini,toml} setup.cfg',
    starts: /^(?:pytest|py\.test|python[\d.]* -m pytest)\b/,
  },
  { name: 'unittest', tests: 'test[A-Z0-9]*.py {test,tests}.py', starts: /^python[\d.]* -m unittest\b/ },
  { name: 'Python', settings: 'sitecustomize.py usercustomize.py *.pth .coveragerc noxfile.py' },
  {
    name: 'Ruff, flake8, mypy, Pyright, Pylint',
    settings: '{,.}ruff.toml .flake8 {,.}mypy.ini pyrightconfig.json {,.}pylintrc',
  },
  {
    name: 'cargo',
    settings: 'Cargo.toml build.rs rust-toolchain{,.toml} {,.}{clippy,rustfmt}.toml **/.cargo/**',
    starts: /^cargo (?:\+\S+ )?test\b/,
  },
  {
    name: 'go',
    tests: '*_test.go **/testdata/**',
    settings: 'go.work .golangci.{yml,yaml,toml,json}',
    starts: /^go test\b/,
  },
  {
    name: 'make, CMake, Meson, Bazel',
    settings:
      'GNUmakefile makefile Makefile *.mk CMakeLists.txt CTestTestfile.cmake meson.build meson_options.txt BUILD{,.bazel} WORKSPACE MODULE.bazel .bazelrc',
  },
  {
    name: 'prove, bats, shellspec',
    tests: '*.t *.bats',
    settings: '.proverc .shellspec .shellcheckrc',
  },
  {
    name: 'RSpec, Minitest, Cucumber',
    tests: '*_spec.rb *_test.rb test_*.rb *.feature',
    settings: '.rspec Rakefile .rubocop.yml cucumber.{yml,js}',
  },
  { name: 'PHPUnit, Pest', tests: '*Test.php', settings: 'phpunit.xml* phpstan.neon*' },
  { name: 'mix', tests: '*_test.exs', settings: 'mix.exs .formatter.exs .credo.exs' },
  {
    name: 'JUnit, Spock, ScalaTest',
    tests: '*{Test,Tests,IT,Spec}.{java,kt,scala,groovy}',
    settings: 'pom.xml {build,settings}.gradle{,.kts} gradle.properties gradlew mvnw build.sbt **/.mvn/**',
  },
  {
    name: 'CTest, GoogleTest, Catch2',
    tests: '{test_*,*_test,*_tests,*Test,*Tests}.{c,cc,cpp,cxx}',
  },
  {
    name: 'dotnet, swift, clang',
    tests: '*Tests.{cs,swift}',
    settings:
      '*.{cs,fs,vb}proj *.sln Directory.Build.{props,targets} Package.swift .clang-tidy .clang-format',
  },
  { name: 'approval tests', tests: '*.snap *.approved.*' },
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
export const isTestByDefault = createMatcher(RUNNERS.map(({ tests = '' }) => tests).join(' '));
/** Returns whether a path is a test, or data of a test in the form of text. */
export const isTest = (path: string): boolean =>
  isTestByDefault(path) && (isCode(path) || /\.(?:json|txt|snap)$/.test(path));
/** Returns whether a runner loads a path as its settings by itself. */
export const isSettings = createMatcher(RUNNERS.map(({ settings = '' }) => settings).join(' '));

/**
 * Returns the runner that a simple command starts, directly or through other programs, if its output always contains the number of tests.
 */
export function runnerOf(words: readonly string[]): string | undefined {
  const lines = words.map((word, position) => [posix.basename(word), ...words.slice(position + 1)].join(' '));
  return RUNNERS.find(({ starts }) => starts && lines.some((line) => starts.test(line)))?.name;
}
