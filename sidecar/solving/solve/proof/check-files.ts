/**
 * Finds the files of the checks: the files that commands and runners load (roots), and the files that are reachable from the roots and not
 * from the product. Reads only the base; runs nothing. Pure.
 */
import { posix } from 'node:path';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings, isTestByDefault } from '../../brief/runners.ts';
import { compileLenientGlob, type PathMatcher } from '../../../workspace/files/glob-pattern.ts';
import { BaseFiles } from './base-files.ts';
import { followChecks, type StartedByChecks } from './check-commands.ts';
import { isPartOfTests } from './test-parts.ts';

export interface ChecksOfBase extends Pick<StartedByChecks, 'programs' | 'runners'> {
  files: ReadonlySet<string>;
  /** Returns whether a path, which the base may lack, is a test for one of the runners. */
  isTest: PathMatcher;
  /** The test runners that a command starts. */
  runnersOf: (command: string) => readonly string[];
  hasTests: boolean;
  /** Returns whether the commands name a path that the base lacks, so that the task must create it. */
  isWanted: PathMatcher;
  /**
   * Returns whether a file of this name changes how a script of the checks runs: the script sources it, branches on it, or has a target of
   * that name.
   */
  isSwitch: PathMatcher;
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
  const started = followChecks(commands, base);
  const globs = paths.flatMap((path) => testGlobsIn(path, base.text(path)));
  const patterns = [...started.globs, ...globs, ...protect].map(compileLenientGlob);
  const isTest = (path: string): boolean =>
    isTestByDefault(path) || patterns.some((matches) => matches(path));
  const files = filesOfChecks(base, isTest, started.roots);
  const named = wordsIn(commands);
  const switches = wordsIn(started.scripts.flatMap(switchesIn));
  return {
    ...started,
    files,
    isTest,
    runnersOf: (command) => followChecks([command], base).runners,
    isWanted: (path) => started.lacking.has(path) || named.has(posix.basename(path)),
    isSwitch: (path) => switches.has(posix.basename(path)),
    hasTests: [...files].some(
      (path) => (started.roots.has(path) || isTest(path)) && (isCode(path) || !isSettings(path)),
    ),
  };
}

const wordsIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(/[^\w.-]+/)));

/**
 * Matches a file that a shell script sources or branches on (`||` follows a required file), or a target of make, which counts as up to date
 * if a file has its name.
 */
const SWITCH =
  /(?:\s-[efxrsdL]\s+|(?:^|[\s;&|])(?:\.|source)\s+)([^\s\];&|]+)["']?\s*\]{0,2}\s*(\|\|)?|^([\w.-]+)\s*:(?!=)/gm;

const switchesIn = (script: string): string[] =>
  [...script.matchAll(SWITCH)].map(([, file, isRequired, target]) =>
    isRequired ? '' : (file ?? target ?? ''),
  );

const PATTERN_KEYS =
  /["']?\b(testMatch|spec|python_files|testpaths|include|test_match)["']?\s*[:=]\s*(\[[^\]]{0,2000}\]|[^\n]{1,400})/g;
const COVERAGE = /\bcoverage["']?\s*:\s*\{[^}]{0,2000}\}/g;

/** Returns the globs of tests in the settings of a runner. `include` in data files is skipped, since linters and coverage use it. */
function testGlobsIn(path: string, text: string): string[] {
  if (!(isSettings(path) || /(?:^|\/)config\//.test(path)) || /(?:^|\/)(?:ts|js)config/.test(path)) return [];
  return [...text.replaceAll(COVERAGE, '').matchAll(PATTERN_KEYS)]
    .flatMap(([, key, value = '']) => (key === 'include' && !isCode(path) ? [] : value.split(/[\s"'`,[\]]+/)))
    .filter((glob) => glob.includes('*') && /[a-z]/i.test(glob.replace(/\.\w+$/, '')))
    .map((glob) => glob.replace(/^<rootDir>\//, ''))
    .map((glob) => (glob.includes('/') ? glob : `**/${glob}`))
    .flatMap((glob) => [glob, posix.join(posix.dirname(path), glob)]);
}

/** Settings of these kinds name modules that their runners load; other kinds name build outputs. */
const NAMES_MODULES = /\.(?:json|[cm]?[jt]s|ya?ml|ini|cfg|toml)$|rc$/;
const MODULE = /\.(?:[cm]?[jt]s|py|sh)$/;

/** Matches programs that start other programs or ask servers. */
const STARTS = /\b(?:child_process|subprocess|popen|system|spawn|fetch|https?)\b|os\/exec/i;

function filesOfChecks(base: BaseFiles, isTest: PathMatcher, roots: ReadonlySet<string>): Set<string> {
  const files = new Set(
    [...base.index.paths].filter((path) => isSettings(path) || isTest(path) || roots.has(path)),
  );
  const isOfProduct = (path: string): boolean =>
    base
      .users(path)
      .some((user) => !files.has(user) || (isCode(path) && posix.basename(user) === 'package.json'));
  // Checks each match, since a glob may also match the tested code.
  for (const path of files) {
    const isSure = isTestByDefault(path) || roots.has(path);
    const isUsed = isSure ? isOfProduct(path) : base.users(path).length > 0;
    if (!isSettings(path) && isCode(path) && isUsed) files.delete(path);
  }
  /** Settings, and the files that they load. */
  const loaded = new Set([...files].filter(isSettings));
  const testsOf = (path: string): string[] => base.users(path).filter((user) => files.has(user));
  const isPart = (path: string, users: readonly string[]): boolean =>
    isPartOfTests(
      path,
      users.filter((user) => base.imports(user).includes(path)),
      base,
    );
  const isLoaded = (path: string, by: string): boolean => {
    const tests = testsOf(path).filter((user) => !loaded.has(user));
    if (tests.length > 0 && !isPart(path, tests)) return false;
    return (
      base.imports(by).includes(path) || (NAMES_MODULES.test(by) && (!isCode(path) || MODULE.test(path)))
    );
  };
  const sources = [...base.index.paths].filter((path) => base.isSource(path) && !isSettings(path));
  /** Whether a check imports, names or starts another source. Otherwise it checks the data that it reads. */
  const hasSubject = (by: string): boolean =>
    STARTS.test(base.text(by)) ||
    sources.some(
      (path) =>
        !files.has(path) && (base.uses(by).includes(path) || base.text(by).includes(posix.basename(path))),
    );
  // Paths that are added during the iteration are visited, too.
  for (let size = -1; size !== files.size;) {
    size = files.size;
    for (const by of files)
      for (const path of base.uses(by)) {
        if (files.has(path) || isOfProduct(path)) continue;
        const isImport = base.imports(by).includes(path);
        const isReached = loaded.has(by)
          ? isLoaded(path, by)
          : isImport
            ? isPart(path, testsOf(path))
            : !base.isSource(path) && hasSubject(by);
        if (isReached) files.add(path);
        if (isReached && loaded.has(by)) loaded.add(path);
      }
  }
  return files;
}
