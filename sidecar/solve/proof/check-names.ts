/** Names of files that checks run or are set up by, kind by kind. docs/SECURITY.md has a line for each kind. */
import { posix } from 'node:path';
import { isTest } from '../../brief/left-out.ts';
import { compileGlob } from '../../files/glob-pattern.ts';

/** Settings that runners, package managers, compilers and linters look for by themselves: globs of names. */
const SETTINGS: Readonly<Record<string, string>> = {
  'Node packages':
    'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb bunfig.toml deno.json deno.jsonc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs lerna.json nx.json turbo.json',
  'JavaScript test runners':
    '{jest,vitest,karma,ava,mocha,playwright,cypress,wdio,nyc,c8}*.{config,conf,setup,workspace}* {jest,vitest}{setup,.setup,-setup}* setupTests.* jest-preset.* .mocharc* .nycrc* .c8rc* .taprc',
  'JavaScript builders':
    '{vite,babel,webpack,rollup,esbuild,eslint,prettier,tsup}*.{config,conf,setup,workspace}* .babelrc* .swcrc',
  'JavaScript linters and types':
    '.eslintrc* .eslintignore .prettierrc* .prettierignore biome.json biome.jsonc .oxlintrc.json {ts,js}config*.json',
  Python:
    'conftest.py pytest.{ini,toml} .pytest.{ini,toml} tox.{ini,toml} noxfile.py setup.{cfg,py} pyproject.toml .coveragerc sitecustomize.py usercustomize.py *.pth requirements*.txt Pipfile Pipfile.lock poetry.lock uv.lock',
  'Python linters and types':
    'ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini pyrightconfig.json .pylintrc pylintrc',
  'Make and its like':
    'GNUmakefile makefile Makefile *.mk justfile Justfile Taskfile.{yml,yaml} CMakeLists.txt CTestTestfile.cmake meson.build meson_options.txt BUILD BUILD.bazel WORKSPACE MODULE.bazel .bazelrc',
  'Go and Rust':
    'go.{mod,sum,work} go.work.sum .golangci.{yml,yaml,toml,json} Cargo.{toml,lock} build.rs rust-toolchain rust-toolchain.toml clippy.toml .clippy.toml',
  'Ruby, PHP and Elixir':
    'Gemfile Gemfile.lock Rakefile .rspec .rubocop.yml composer.{json,lock} phpunit.xml* mix.{exs,lock} .formatter.exs',
  'Java, Scala and Kotlin':
    'pom.xml {build,settings}.gradle {build,settings}.gradle.kts gradle.properties gradlew mvnw build.sbt',
  '.NET, Swift and C': '*.{cs,fs,vb}proj *.sln Directory.Build.{props,targets} Package.swift .clang-tidy',
  'Git and versions': '.gitignore .gitattributes .tool-versions .nvmrc .node-version .python-version',
};

/** Tests and what they compare with, beside those that `isTest` knows: globs of paths. */
const TESTS =
  '**/*[a-z0-9]Spec.{js,jsx,ts,tsx,java,kt,kts,scala,groovy,hs,swift,cs,php,m} **/*IT.java **/*.feature **/*.bats **/t/**/*.t **/*.cy.* **/*.approved.* **/*.snap **/{__snapshots__,snapshots,__fixtures__,__mocks__,fixtures,testdata,test-data,golden,expected,test,tests,spec,specs,e2e,cypress}/**';

/** Folders of programs and configuration that runners look into by themselves. */
const PROGRAM_FOLDER = /(?:^|\/)(?:node_modules|\.venv|venv|\.cargo|\.yarn|\.husky|\.mvn)\//;

const matcherOf = (globs: readonly string[]): ((text: string) => boolean) => {
  const matchers = globs.flatMap((text) => text.split(' ')).map((glob) => compileGlob(glob));
  return (text) => matchers.some((matches) => matches(text));
};
const isSettingsName = matcherOf(Object.values(SETTINGS));
const isTestPath = matcherOf([TESTS]);
const isRunnerName = matcherOf([SETTINGS['JavaScript test runners'] ?? '']);

/** Whether a path is a test, or data that tests compare with or are fed. */
export const isTestFile = (path: string): boolean => isTest(path) || isTestPath(path);

/** Whether a path sets up how checks run. */
export const isSettings = (path: string): boolean =>
  isSettingsName(posix.basename(path)) || PROGRAM_FOLDER.test(path);

/** Whether a path holds the settings of a test runner alone: what they name is a part of the checks. */
export const isRunnerSettings = (path: string): boolean => isRunnerName(posix.basename(path));
