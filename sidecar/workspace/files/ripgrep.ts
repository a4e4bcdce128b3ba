/**
 * Runs ripgrep below a folder of the workspace. It is a separate process, so that a hostile pattern cannot block the worker. Output is read
 * as it arrives. Hidden files are searched; `.git`, `node_modules` and ignored files are not. Links are not followed, and ignore files
 * above the workspace have no effect.
 */
import { dirname, join, relative, sep } from 'node:path';
import { runProgram } from '../../base/system/run-program.ts';
import { EnvironmentError } from './environment-error.ts';
import { runWithReleasedPipes } from '../../base/system/ignore-pipes.ts';
import type { ResolvedPath, WorkspacePaths } from './workspace-paths.ts';

const TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARS = 4096;
const MAX_ERROR_BYTES = 1024 * 1024;
const NO_MATCH_EXIT_CODE = 1;

const FIXED_ARGUMENTS = [
  '--no-config --color=never --null --hidden --no-follow --no-require-git --no-ignore-parent --no-ignore-global',
  '--no-messages --no-ignore-messages',
].flatMap((group) => group.split(' '));
/** Globs that exclude folders. They must be the last options, since the last matching glob decides. */
const EXCLUDE_ARGUMENTS = ['--glob=!.git', '--glob=!node_modules'];

export interface RipgrepSearch {
  args: readonly string[];
  signal: AbortSignal | undefined;
  /** Called with each chunk of the output. `show` converts a path of ripgrep to a path of the workspace; `stop` ends ripgrep. */
  onOutput: (chunk: Buffer, show: (path: string) => string, stop: () => void) => void;
  /** Returns whether the output so far contains a result. If so, an error of one file is ignored. */
  hasResult: () => boolean;
}

/**
 * Searches `target`. Returns false if the time limit ended the search. Rejects with `EnvironmentError`: `INVALID_PATTERN` carries ripgrep's
 * message.
 */
export async function runRipgrep(
  paths: WorkspacePaths,
  target: ResolvedPath,
  { args, signal, onOutput, hasResult }: RipgrepSearch,
): Promise<boolean> {
  if (!target.stats) throw new EnvironmentError('NOT_FOUND', `${target.shownPath} does not exist`);
  // A folder that the sandbox shows in the workspace is searched at its source, since it is empty in the workspace itself.
  const shownRoot = paths.findShownFolder(target.absolute)?.path ?? paths.root;
  const searchedPath = relative(shownRoot, target.absolute).split(sep).join('/');
  const toShownPath = (path: string): string => paths.toShownPath(join(shownRoot, path));
  const root = await paths.openFolder(shownRoot, paths.toShownPath(shownRoot));
  try {
    const file = await findRipgrep();
    const { exitCode, earlyEnd, startError, stderr } = await runWithReleasedPipes(root.entry(''), () =>
      runProgram({
        file,
        args: [
          ...FIXED_ARGUMENTS,
          ...buildIgnoreOptions(searchedPath),
          ...args,
          ...EXCLUDE_ARGUMENTS,
          '--',
          `./${searchedPath}`,
        ],
        // The child process enters this folder through a descriptor of the worker, which is open until the search ends. A link can therefore
        // not redirect it.
        cwd: root.entry('').replace('/proc/self/', `/proc/${process.pid}/`),
        env: { PATH: process.env.PATH ?? '' },
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_ERROR_BYTES,
        signal,
        onStdout: (chunk, stop) => onOutput(chunk, toShownPath, stop),
      }),
    );
    if (earlyEnd === 'aborted') throw new EnvironmentError('ABORTED', 'The search was aborted');
    if (startError !== undefined) throw new EnvironmentError('SEARCH_FAILED', startError);
    if (exitCode !== null && exitCode > NO_MATCH_EXIT_CODE && !hasResult())
      throwRipgrepError(stderr.toString('utf8'));
    // If the path became a link while ripgrep ran, ripgrep may have followed it, so the path is checked again.
    const current = await paths.resolve(target.absolute);
    if (current.absolute === target.absolute && current.stats?.ino === target.stats.ino)
      return earlyEnd !== 'timeout';
    throw new EnvironmentError('PATH_OUTSIDE_WORKSPACE', `${target.shownPath} changed during the search`);
  } finally {
    await root.close();
  }
}

/**
 * Returns `--ignore-file` options for the ignore files above the searched path. ripgrep applies the rules in them relative to the workspace
 * root, in which it runs.
 */
function buildIgnoreOptions(searchedPath: string): string[] {
  const folders: string[] = [];
  for (let path = searchedPath; path !== '' && path !== '.';) folders.unshift((path = dirname(path)));
  return folders.flatMap((folder) => ['--ignore-file', join(folder, '.gitignore')]);
}

/** Returns the path of ripgrep. The package throws if it has no program for this platform; only searches fail then. */
async function findRipgrep(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw new EnvironmentError('SEARCH_FAILED', 'ripgrep is not installed for this platform', {
      cause: error,
    });
  }
}

function throwRipgrepError(errorText: string): void {
  const message = errorText.trim().replace(/^rg: /, '').slice(0, MAX_ERROR_CHARS);
  if (message === '') return;
  const isPattern = /regex|glob|pattern|repetition|unclosed|literal/i.test(message);
  throw new EnvironmentError(isPattern ? 'INVALID_PATTERN' : 'SEARCH_FAILED', message);
}
