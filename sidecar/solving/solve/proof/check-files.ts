/**
 * Finds the files of the checks: the files that commands and runners load (roots), and the files that are reachable from the roots and not
 * from the product. Reads only the base; runs nothing. Pure.
 */
import { posix } from 'node:path';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings, isTestByDefault } from '../../brief/runners.ts';
import { compileLenientGlob, type PathMatcher } from '../../../workspace/files/glob-pattern.ts';
import { BaseFiles } from './base-files.ts';
import { CheckCommands } from './check-commands.ts';

export interface ChecksOfBase {
  files: ReadonlySet<string>;
  /** Names of programs and of Python modules that the checks start. */
  programs: ReadonlySet<string>;
  /** The test runners that a command starts. */
  runnersOf: (command: string) => readonly string[];
  hasTests: boolean;
  /** Returns whether a path, which the base may lack, is a test for one of the runners. */
  isTest: PathMatcher;
  /** Returns whether a path, if the checks write it, is a file of the checks. */
  isCheckFile: PathMatcher;
  /** Returns whether the commands name a path that the base lacks, so that the task must create it. */
  isRequestedFile: PathMatcher;
  /** Returns whether a new path is a requested file (see `isRequestedFile`) or, if the base has no tests, a test. */
  isFirstTest: PathMatcher;
  /** Returns whether a script of the checks sources a file of this name, branches on it, or has a target of that name. */
  isScriptCondition: PathMatcher;
}

interface ChecksInput {
  /** The commands of the checks, as run. */
  commands: readonly string[];
  texts: ReadonlyMap<string, string>;
  paths: readonly string[];
  /** Globs of the files that the operator protects. */
  protect: readonly string[];
}

/** Finds the files of the checks on the base. */
export function findChecksOfBase({ commands, texts, paths, protect }: ChecksInput): ChecksOfBase {
  const base = new BaseFiles(paths, texts);
  const { roots, globs, programs, scripts, missingManifests } = new CheckCommands(commands, base);
  const ofSettings = paths.flatMap((path) => findTestGlobs(path, base.text(path)));
  const patterns = [...globs, ...ofSettings, ...protect].map(compileLenientGlob);
  const isTest = (path: string): boolean =>
    isTestByDefault(path) || patterns.some((matches) => matches(path));
  const files = closureOf(base, roots, isTest);
  const hasTests = [...files].some(
    (path) => (roots.has(path) || isTest(path)) && (isCode(path) || !isSettings(path)),
  );
  const named = collectWords(commands);
  const switches = collectWords(scripts.flatMap(findScriptConditions));
  const isWanted = (path: string): boolean => missingManifests.has(path) || named.has(posix.basename(path));
  return {
    files,
    programs,
    runnersOf: (command) => new CheckCommands([command], base).runners,
    hasTests,
    isTest,
    isCheckFile: (path) => files.has(path) || (isCode(path) && isTest(path)),
    isRequestedFile: isWanted,
    isFirstTest: (path) => isWanted(path) || (!hasTests && isTest(path)),
    isScriptCondition: (path) => switches.has(posix.basename(path)),
  };
}

const collectWords = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(/[^\w.-]+/)));

/**
 * Matches a file that a shell script sources or branches on (`||` follows a required file), or a target of make, which counts as up to date
 * if a file has its name.
 */
const SCRIPT_CONDITION =
  /(?:\s-[efxrsdL]\s+|(?:^|[\s;&|])(?:\.|source)\s+)([^\s\];&|]+)["']?\s*\]{0,2}\s*(\|\|)?|^([\w.-]+)\s*:(?!=)/gm;

const findScriptConditions = (script: string): string[] =>
  [...script.matchAll(SCRIPT_CONDITION)].map(([, file, isRequired, target]) =>
    isRequired ? '' : (file ?? target ?? ''),
  );

const PATTERN_KEYS =
  /["']?\b(testMatch|spec|python_files|testpaths|include|test_match)["']?\s*[:=]\s*(\[[^\]]{0,2000}\]|[^\n]{1,400})/g;

const COVERAGE_SETTINGS = /\bcoverage["']?\s*:\s*\{[^}]{0,2000}\}/g;

/** Returns the globs of tests in the settings of a runner. `include` in data files is skipped, since linters and coverage use it. */
function findTestGlobs(path: string, text: string): string[] {
  if (!(isSettings(path) || /(?:^|\/)config\//.test(path)) || /(?:^|\/)(?:ts|js)config/.test(path)) return [];
  return [...text.replaceAll(COVERAGE_SETTINGS, '').matchAll(PATTERN_KEYS)]
    .flatMap(([, key, value = '']) => (key === 'include' && !isCode(path) ? [] : value.split(/[\s"'`,[\]]+/)))
    .filter((glob) => glob.includes('*') && /[a-z]/i.test(glob.replace(/\.\w+$/, '')))
    .map((glob) => (glob.includes('/') ? glob.replace(/^<rootDir>\//, '') : `**/${glob}`))
    .flatMap((glob) => [glob, posix.join(posix.dirname(path), glob)]);
}

/** Settings of these kinds name modules that their runners load; other kinds name build outputs. */
const MODULE_SETTINGS_FILE = /\.(?:json|[cm]?[jt]s|ya?ml|ini|cfg|toml)$|rc$/;
const MODULE_FILE = /\.(?:[cm]?[jt]s|py|sh)$/;
/** Matches a file's code that starts programs or sends requests to servers. */
const PROCESS_OR_NETWORK_CALL = /\b(?:child_process|subprocess|popen|system|spawn|fetch|https?)\b|os\/exec/i;

/** Walks from the tests, the roots and the settings to the files that they use and the product does not. */
function closureOf(base: BaseFiles, roots: ReadonlySet<string>, isTest: PathMatcher): Set<string> {
  const paths = [...base.index.paths];
  const judges = new Set(paths.filter((path) => (isTest(path) || roots.has(path)) && !isSettings(path)));
  const files = new Set([...judges, ...paths.filter(isSettings)]);
  const isOfProduct = (path: string): boolean => base.usersOf(path).some((user) => !files.has(user));
  // A glob may also match the tested code.
  for (const path of judges) {
    const isSure = isTestByDefault(path) || roots.has(path);
    const isUsed = isSure ? isOfProduct(path) : base.usersOf(path).length > 0;
    if (isCode(path) && isUsed && judges.delete(path)) files.delete(path);
  }
  const isReached = (path: string, by: string): boolean => {
    const tests = base.usersOf(path).filter((user) => judges.has(user));
    const importers = tests.filter((user) => base.linksOf(user).imports.includes(path));
    const isPart = tests.length === 0 || isPartOfTests(path, importers, base);
    if (base.linksOf(by).imports.includes(path)) return isPart;
    if (isSettings(by))
      return isPart && MODULE_SETTINGS_FILE.test(by) && (!isCode(path) || MODULE_FILE.test(path));
    // A check that uses no other source checks the data that it reads.
    const isSubject = (one: string): boolean => base.isSource(one) && !files.has(one);
    return (
      !base.isSource(path) &&
      (PROCESS_OR_NETWORK_CALL.test(base.text(by)) || base.linksOf(by).uses.some(isSubject))
    );
  };
  for (let size = -1; size !== files.size;) {
    size = files.size;
    for (const by of files)
      for (const path of base.linksOf(by).uses)
        if (!files.has(path) && !isOfProduct(path) && isReached(path, by)) files.add(path);
  }
  return files;
}

/** Matches imports of assertion libraries and of test runners, and assertions of Python. */
const ASSERTION =
  /["'](?:node:)?(?:assert(?:\/strict)?|test|chai|expect|sinon|vitest|@jest\/globals|jest-[\w-]+|ava|tap|uvu(?:\/assert)?)["']|^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest|nose)\b|^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"testing"|\braise AssertionError\b|^[ \t]+assert\s/m;
const FUNCTION_SYNTAX = /\b(?:function|class|def|lambda)\b|=>/;
const TEST_NAME_MARKS = /^(?:tests?[-_.]?)|(?:[-_.]?(?:tests?|spec|cy|it))$/gi;

/** Returns whether a file that only `tests` import is a part of them. A file that a test is named after is the subject of the test. */
function isPartOfTests(path: string, tests: readonly string[], base: BaseFiles): boolean {
  if (!isCode(path)) return true;
  if (tests.some((test) => isNamedAfter(test, path))) return false;
  if (ASSERTION.test(base.text(path))) return true;
  return (
    !FUNCTION_SYNTAX.test(base.text(path)) && tests.some((test) => base.linksOf(test).imports.length > 1)
  );
}

/** Returns whether a test is named after a file: `sum.test.js` after `sum.js`. */
function isNamedAfter(test: string, path: string): boolean {
  const name = posix.basename(path).replace(/\..*$/, '');
  const stem = /^(?:index|__init__|mod|lib|main)$/.test(name) ? posix.basename(posix.dirname(path)) : name;
  const [subject, own] = [
    posix
      .basename(test)
      .replace(/\.\w+$/, '')
      .replaceAll(TEST_NAME_MARKS, ''),
    stem,
  ].map((text) => text.toLowerCase().replaceAll(/[^a-z\d]/g, ''));
  return !!subject && !!own && (subject.includes(own) || own.includes(subject));
}
