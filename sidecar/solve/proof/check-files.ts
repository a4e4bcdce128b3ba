/**
 * Which of a task's changes touch what its checks run: tests, configuration of runners, scripts, lock files, and the
 * files that the commands name. By their paths and by what the base's scripts call; nothing is run for it.
 */
import { posix } from 'node:path';
import type { BaseTree } from '../../workspace/base-tree.ts';
import { isRunnerSettings, isSettings, isTestFile } from './check-names.ts';

/** A changed path that the checks load. */
export interface CheckFile {
  path: string;
  /** The base does not have it. */
  isNew: boolean;
  /** The program in whose place it is found. */
  program?: string;
}

interface CheckFilesInput {
  /** The commands of the checks, as they are run. */
  commands: readonly string[];
  changed: readonly string[];
  base: Pick<BaseTree, 'read'>;
  /** The paths of the base. */
  baseFiles: ReadonlySet<string>;
  /** Whether the task may change a path although its checks run it. */
  isPermitted: (path: string) => boolean;
}

/** How far scripts that call scripts are followed. */
const MAX_FOLLOWED = 60;

/** Facts about the checks and the files that they load. */
export interface CheckedFiles {
  /** The changed ones that the task may not change. */
  files: CheckFile[];
  /** The changed ones that it may change. */
  permitted: string[];
  /** The checks start a known test runner. */
  hasRunner: boolean;
}

/** Programs, modules and flags that run tests and always say how many passed; `go test` does so only where it is asked. */
const RUNNERS = ['pytest', 'unittest', 'jest', 'vitest', 'mocha', '--test', 'cargo', 'ava', 'tap', 'tox'];

export async function findCheckFiles(input: CheckFilesInput): Promise<CheckedFiles> {
  const { changed, baseFiles, isPermitted } = input;
  const { called, words } = await followCommands(input);
  const isLoaded = (path: string): boolean =>
    isTestFile(path) ||
    isSettings(path) ||
    // A file that a command names and the base does not have is what the task is to make.
    (called.has(path) && baseFiles.has(path));
  const loaded = changed.flatMap((path): CheckFile[] => {
    const isNew = !baseFiles.has(path);
    const program = isNew ? shadowed(path, words) : undefined;
    if (program !== undefined) return [{ path, isNew, program }];
    return isLoaded(path) ? [{ path, isNew }] : [];
  });
  const isAllowed = ({ path, program }: CheckFile): boolean => program === undefined && isPermitted(path);
  return {
    files: loaded.filter((file) => !isAllowed(file)),
    permitted: loaded.filter(isAllowed).map(({ path }) => path),
    hasRunner: RUNNERS.some((runner) => words.has(runner)),
  };
}

/** Modules that a runner imports by name and finds in the workspace first. */
const PYTHON_MODULES = new Set(
  'pytest _pytest pluggy unittest coverage tox nox doctest importlib traceback ast sys os re json'.split(' '),
);

/** The program in whose place a path is found; undefined for any other path. */
function shadowed(path: string, programs: ReadonlySet<string>): string | undefined {
  const parts = path.split('/');
  const name = posix.basename(path).replace(/\.(?:cmd|exe|ps1)$/, '');
  const isInBin = /(?:^|\/)(?:\.?bin|Scripts)\/[^/]+$/.test(path);
  if (isInBin && programs.has(name)) return name;
  const module = (parts[0] ?? '').replace(/\.py$/, '');
  const isPython = [...programs].some((program) => /^(?:python[\d.]*|pytest|tox|nox)$/.test(program));
  const isModule = path.endsWith('.py') && PYTHON_MODULES.has(module);
  return isPython && isModule ? module : undefined;
}

/** Programs that start without being named by the command. */
const STARTED_BY: Readonly<Record<string, readonly string[]>> = {
  npm: ['node', 'sh', 'bash'],
  npx: ['node', 'npm'],
  yarn: ['node', 'sh'],
  pnpm: ['node', 'sh'],
  make: ['sh', 'bash'],
  pytest: ['python', 'python3'],
};

const VERBS_OF_RUNNERS = new Set(['test', 'run', 'exec', 'start', 'build', 't']);

/**
 * Takes the commands apart and follows the scripts that they name, as the base has them. `called`: scripts of the base by
 * name. `words`: of the commands and scripts, programs that start without being named among them. What a test runs is what
 * it tests, unless its name or folder says otherwise; what a test sources is a part of it.
 */
async function followCommands({
  commands,
  base,
  baseFiles,
}: CheckFilesInput): Promise<Record<'called' | 'words', ReadonlySet<string>>> {
  const called = new Set<string>();
  const loaded = new Set<string>();
  const words = new Set<string>();
  const open = commands.map((text) => ({ text, inTest: false }));
  const settings = [...baseFiles].filter((path) => isRunnerSettings(path)).slice(0, MAX_FOLLOWED);
  for (const path of settings) {
    const named = pathsIn((await base.read(path)) ?? '');
    for (const file of modulesOf(named, baseFiles)) loaded.add(file);
  }
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { text, inTest } = next;
    for (const file of modulesOf(preloadedIn(text), baseFiles)) loaded.add(file);
    const sourced = sourcedIn(text);
    for (const word of [...wordsOf(text), ...sourced]) {
      const path = asPath(word);
      if (!VERBS_OF_RUNNERS.has(word)) words.add(word);
      for (const started of STARTED_BY[word] ?? []) words.add(started);
      for (const file of [path, ...(MANIFESTS[word] ?? [])]) {
        if (called.has(file) || !baseFiles.has(file) || called.size >= MAX_FOLLOWED) continue;
        if (inTest && file === path && !sourced.has(file) && !isPartOfTest(file)) continue;
        called.add(file);
        if (sourced.has(file)) loaded.add(file);
        const more = await textOf(file, base);
        if (more !== undefined) open.push({ text: more, inTest: isTestFile(file) });
      }
    }
  }
  return { called: new Set([...[...called].filter(isScript), ...loaded]), words };
}

/** Modules that a runner loads before the tests, as a command or a manifest names them (`--require ./hook`). */
const preloadedIn = (text: string): string[] => [
  ...[...text.matchAll(PRELOADED)].map(([, path = '']) => asPath(path)),
  ...[...text.matchAll(SETUP_KEYS)].flatMap(([, value = '']) => pathsIn(value)),
];
/** Words that can only be paths. */
const pathsIn = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => /[./]/.test(word))
    .map(asPath);
const SETUP_KEYS =
  /"(?:setupFiles(?:AfterEnv)?|globalSetup|globalTeardown)"\s*:\s*(\[[^\]]{0,2000}\]|"[^"]{0,400}")/g;
const PRELOADED =
  /(?:^|[\s"'])(?:--require|-r|--import|--loader|--experimental-loader|--preload)(?:[ =]|["'], *["'])["']?([\w@./-]+)/gm;

const MODULE_ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '/index.js', '/index.ts'];

/** The files of the base that names of modules stand for. */
const modulesOf = (names: readonly string[], baseFiles: ReadonlySet<string>): string[] =>
  names.flatMap((name) =>
    MODULE_ENDINGS.map((ending) => `${name}${ending}`).filter((path) => baseFiles.has(path)),
  );

/** The files that a shell script or a makefile includes, by their names without a folder that is a variable. */
const sourcedIn = (text: string): ReadonlySet<string> =>
  new Set([
    ...[...text.matchAll(SOURCED)].map(([, path = '']) => asPath(path)),
    ...[...text.matchAll(INCLUDED)].flatMap(([, paths = '']) =>
      paths.split(/\s+/).map((path) => asPath(path.replace(/^\$\(\w+\)\/?/, ''))),
    ),
  ]);
const INCLUDED = /^(?:-|s)?include[ \t]+([^#\n]{1,400})/gm;
const SOURCED = /(?:^|[;&|({])[ \t]*(?:\.|source)[ \t]+["']?(?:\$\w+\/|\$\{\w+\}\/)?([\w./-]+)/gm;

const MAX_CHARS = 200_000;
const MAX_WORDS = 20_000;

/** Words between blanks, quotes and the shell's signs, each once. Takes time linear in the text. */
const wordsOf = (text: string): string[] =>
  [...new Set(text.slice(0, MAX_CHARS).split(/[\s"'`;|&()<>{}[\],=:$\\]+/))]
    .filter(Boolean)
    .slice(0, MAX_WORDS);

const asPath = (word: string): string => posix.normalize(word).replace(/^(?:\.?\/)+/, '');

/** The files in which a program finds the commands that it is to run. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  yarn: ['package.json'],
  pnpm: ['package.json'],
  node: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile'],
  tox: ['tox.ini'],
};

/** Scripts around the tests, by kind or by name: the program itself is named by commands too, and is there to be changed. */
const isScript = (path: string): boolean =>
  /\.(?:sh|bash|zsh|bat|ps1|mk)$|^[^.]*$/.test(posix.basename(path)) || isNamedAsScript(path);

const isNamedAsScript = (path: string): boolean =>
  /(?:^|\/)(?:scripts?|tools?|ci|\.github|hack|build)\//.test(path) ||
  /check|verify|test|spec|assert|runner/i.test(posix.basename(path));

/** Whether what a test runs is a part of the test, by its name: the rest is what it tests. */
const isPartOfTest = (path: string): boolean =>
  isNamedAsScript(path) || /harness|helper|suite|cases|^run(?:[-_.]|$)/i.test(posix.basename(path));

const isManifest = (path: string): boolean => Object.values(MANIFESTS).some((names) => names.includes(path));

async function textOf(path: string, base: CheckFilesInput['base']): Promise<string | undefined> {
  if (!isScript(path) && !isManifest(path)) return undefined;
  return base.read(path);
}
