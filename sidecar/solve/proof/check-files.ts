/**
 * The files of the checks: what their commands and runners load (roots), and what is reached from there and not from the
 * product. All of it is read from the base; nothing is run for it. Pure but for the texts that it is given.
 */
import { posix } from 'node:path';
import { isCode } from '../../brief/left-out.ts';
import { isSettings, isTestByDefault } from '../../brief/runners.ts';
import { BaseFiles } from './base-files.ts';
import { followChecks, type StartedByChecks } from './check-commands.ts';
import { matcherOf } from './globs.ts';
import { isPartOfTests } from './test-imports.ts';

export interface ChecksOfBase extends Pick<StartedByChecks, 'programs' | 'runners'> {
  /** The files of the checks. */
  files: ReadonlySet<string>;
  /** Whether a path that the base may not have is a test for one of its runners. */
  isTest: (path: string) => boolean;
  /** The test runners that a command starts. */
  runnersOf: (command: string) => readonly string[];
  /** Whether the base has tests. */
  hasTests: boolean;
  /** Whether the commands name a path that the base does not have: the task is to make it. */
  isWanted: (path: string) => boolean;
  /** Whether a script of the checks runs otherwise with such a path: it sources it, branches on it, has a target of its name, or names its folder. */
  isSwitch: (path: string) => boolean;
}

interface ChecksInput {
  /** The commands of the checks, as they are run. */
  commands: readonly string[];
  texts: ReadonlyMap<string, string>;
  paths: readonly string[];
  /** Files that the operator names, as globs. */
  protect: readonly string[];
}

export function findChecksOfBase({ commands, texts, paths, protect }: ChecksInput): ChecksOfBase {
  const base = new BaseFiles(paths, texts);
  const started = followChecks(commands, base);
  const globs = paths.flatMap((path) => globsIn(path, base.text(path)));
  const patterns = [...started.globs, ...globs, ...protect].flatMap(matcherOf);
  const isTest = (path: string): boolean =>
    isTestByDefault(path) || patterns.some((matches) => matches(path));
  const files = closure(paths, base, { isTest, isStarted: (path) => started.roots.has(path) });
  const [named, asked] = [wordsIn(commands), wordsIn(started.scripts)];
  const switches = wordsIn(started.scripts.flatMap(switchesIn));
  const tests = [...files].filter((path) => started.roots.has(path) || isTest(path));
  return {
    ...started,
    files,
    isTest,
    runnersOf: (command) => followChecks([command], base).runners,
    isWanted: (path) => started.lacking.has(path) || named.has(posix.basename(path)),
    isSwitch: (path) => {
      const folder = isCode(path) ? undefined : newFolder(path, base);
      return switches.has(posix.basename(path)) || (folder !== undefined && asked.has(folder));
    },
    hasTests: tests.some((path) => isCode(path) || !isSettings(path)),
  };
}

const wordsIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(/[^\w.-]+/)));

/** Files that a shell script sources, or whose presence it branches on. What follows `||` happens without the file: it is required. */
const SWITCH = /(?:\s-[efxrsdL]\s+|(?:^|[\s;&|])(?:\.|source)\s+)([^\s\];&|]+)["']?\s*\]{0,2}\s*(\|\|)?/gm;

/** A target of make is up to date if a file has its name. */
const TARGET = /^([\w.-]+)\s*:(?!=)/gm;

const switchesIn = (script: string): string[] => [
  ...[...script.matchAll(SWITCH)].flatMap(([, file = '', required]) =>
    required === undefined ? [file] : [],
  ),
  ...[...script.matchAll(TARGET)].map(([, target = '']) => target),
];

/** Returns the new top folder that a new file is in; undefined if it is in one of the base. */
function newFolder(path: string, { index }: BaseFiles): string | undefined {
  const [top = ''] = path.split('/');
  return top === path || [...index.paths].some((other) => other.startsWith(`${top}/`)) ? undefined : top;
}

/** Globs of tests in the settings of runners. What these call `include` elsewhere, linters and coverage look at. */
const PATTERN_KEYS =
  /["']?\b(testMatch|spec|python_files|testpaths|include|test_match)["']?\s*[:=]\s*(\[[^\]]{0,2000}\]|[^\n]{1,400})/g;
const COVERAGE = /\bcoverage["']?\s*:\s*\{[^}]{0,2000}\}/g;

function globsIn(path: string, text: string): string[] {
  if (!(isSettings(path) || /(?:^|\/)config\//.test(path)) || /(?:^|\/)(?:ts|js)config/.test(path)) return [];
  return [...text.replaceAll(COVERAGE, '').matchAll(PATTERN_KEYS)]
    .flatMap(([, key, value = '']) => (key === 'include' && !isCode(path) ? [] : value.split(/[\s"'`,[\]]+/)))
    .filter((glob) => glob.includes('*') && /[a-z]/i.test(glob.replace(/\.\w+$/, '')))
    .map((glob) => glob.replace(/^<rootDir>\//, ''))
    .map((glob) => (glob.includes('/') ? glob : `**/${glob}`))
    .flatMap((glob) => [glob, posix.join(posix.dirname(path), glob)]);
}

/** Settings of these kinds name modules and data that their runners load; others name what they build. */
const LOADS = /\.(?:json|[cm]?[jt]s|ya?ml|ini|cfg|toml)$|rc$/;
const IS_LOADED = /\.(?:[cm]?[jt]s|py|sh)$/;

function closure(
  paths: readonly string[],
  base: BaseFiles,
  { isTest, isStarted }: Record<'isTest' | 'isStarted', (path: string) => boolean>,
): Set<string> {
  const files = new Set(paths.filter((path) => isSettings(path) || isTest(path) || isStarted(path)));
  const isOfProduct = (path: string): boolean =>
    base
      .users(path)
      .some((user) => !files.has(user) || (isCode(path) && posix.basename(user) === 'package.json'));
  // What a source uses is product, whatever its name; a pattern may hold what is tested as well.
  for (const path of files) {
    const isUsed = isTestByDefault(path) || isStarted(path) ? isOfProduct(path) : base.users(path).length > 0;
    if (!isSettings(path) && isCode(path) && isUsed) files.delete(path);
  }
  const isPart = (path: string, users: readonly string[]): boolean =>
    isPartOfTests(
      path,
      users.filter((user) => base.imports(user).includes(path)),
      base,
    );
  const tests = (path: string): string[] => base.users(path).filter((user) => files.has(user));
  // Settings, and what they load: all that these use is a part of the checks, unless the product uses it or a test is for it.
  const loaded = new Set([...files].filter(isSettings));
  const isLoaded = (path: string, other: string): boolean => {
    const users = tests(other).filter((user) => !loaded.has(user));
    if (users.length > 0 && !isPart(other, users)) return false;
    return (
      base.imports(path).includes(other) || (LOADS.test(path) && (!isCode(other) || IS_LOADED.test(other)))
    );
  };
  for (let size = -1; size !== files.size;) {
    size = files.size;
    for (const path of files) {
      for (const other of base.uses(path)) {
        if (files.has(other) || isOfProduct(other)) continue;
        const isImport = base.imports(path).includes(other);
        if (loaded.has(path) && isLoaded(path, other)) loaded.add(other);
        else if (loaded.has(path) || !(isImport ? isPart(other, tests(other)) : !base.isSource(other)))
          continue;
        files.add(other);
      }
    }
  }
  return files;
}
