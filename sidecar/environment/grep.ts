/**
 * Searches file contents with ripgrep: a process of its own, so that a hostile pattern
 * cannot hang the worker. Output is read as it comes and ripgrep is ended at the limit. Its plain output is
 * used instead of its JSON, because only there ripgrep itself shortens lines: a minified file is one line of
 * many megabytes. Links are not followed, and ignore files above the workspace do not count.
 */
import { relative, sep } from 'node:path';
import { execa } from 'execa';
import type { GrepOptions, GrepResult } from '../ports.ts';
import { EnvironmentError } from './environment-error.ts';
import type { OpenFolder, WorkspacePaths } from './paths.ts';

const DEFAULT_MAX_RESULTS = 100;
const MAX_RESULTS = 10_000;
const MAX_LINE_CHARS = 500;
const MAX_PATTERN_CHARS = 10_000;
const TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARS = 4096;
const NO_MATCH = 1;

const FIXED_ARGUMENTS = [
  '--no-config --color=never --no-heading --with-filename --line-number --null',
  `--max-columns=${MAX_LINE_CHARS} --max-columns-preview`,
  '--hidden --no-follow --no-require-git --no-ignore-parent --no-ignore-global',
  '--no-messages --no-ignore-messages',
].flatMap((group) => group.split(' '));

/** Matches sorted by path and line. Rejects with `EnvironmentError`: `INVALID_PATTERN` carries ripgrep's message. */
export async function grepFiles(
  paths: WorkspacePaths,
  pattern: string,
  options: GrepOptions,
): Promise<GrepResult> {
  if (pattern.length > MAX_PATTERN_CHARS || pattern.includes('\0')) {
    throw new EnvironmentError('INVALID_PATTERN', `The pattern is too long or has a NUL character in it`);
  }
  const target = await paths.resolve(options.path ?? '.');
  if (!target.stats) throw new EnvironmentError('NOT_FOUND', `${target.shown} does not exist`);
  // A shown folder is searched from its own top, since its place in the workspace is empty.
  const top = paths.shownAt(target.absolute)?.path ?? paths.root;
  const inside = relative(top, target.absolute).split(sep).join('/') || '.';
  const root = await paths.openFolder(top, paths.show(top));
  try {
    const prefix = top === paths.root ? '' : `${paths.show(top)}/`;
    const result = await search(root, searchArguments(pattern, options, inside), { ...options, prefix });
    // A link that was swapped in while ripgrep ran would have been followed.
    const now = await paths.resolve(target.absolute);
    if (now.absolute === target.absolute && now.stats?.ino === target.stats.ino) return result;
    throw new EnvironmentError('PATH_OUTSIDE_WORKSPACE', `${target.shown} changed during the search`);
  } finally {
    await root.close();
  }
}

function searchArguments(
  pattern: string,
  { include, caseSensitive = true }: GrepOptions,
  shown: string,
): string[] {
  return [
    ...FIXED_ARGUMENTS,
    ...(shown === '.' ? [] : ['--ignore-file', '.gitignore']),
    caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(include === undefined || include === '' ? [] : ['--glob', include]),
    '--glob',
    '!.git',
    '--glob',
    '!node_modules',
    '--regexp',
    pattern,
    '--',
    shown === '.' ? './' : `./${shown}`,
  ];
}

async function search(
  root: OpenFolder,
  args: string[],
  options: GrepOptions & { prefix: string },
): Promise<GrepResult> {
  const maxResults = Math.min(Math.max(1, options.maxResults ?? DEFAULT_MAX_RESULTS), MAX_RESULTS);
  const parser = new MatchParser(maxResults, options.prefix);
  const child = execa(await ripgrepPath(), args, {
    // Entered between fork and exec, when this process's descriptors are still open in the child.
    cwd: root.entry('').replace('/proc/self/', `/proc/${process.pid}/`),
    env: { PATH: process.env.PATH ?? '' },
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    timeout: TIMEOUT_MS,
    cancelSignal: options.signal,
    killSignal: 'SIGKILL',
    reject: false,
  });
  child.stdout.on('data', (chunk: Buffer) => {
    parser.push(chunk);
    if (parser.isFull) child.kill('SIGKILL');
  });
  const { exitCode, stderr, isCanceled, timedOut, shortMessage } = await child;
  if (isCanceled) throw new EnvironmentError('ABORTED', 'The search was aborted');
  if (child.pid === undefined) throw new EnvironmentError('SEARCH_FAILED', shortMessage ?? '');
  refuseFailure(exitCode, stderr, parser);
  return parser.result(timedOut);
}

/** The package throws when it has no program for this platform: then only searching fails. */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw new EnvironmentError('SEARCH_FAILED', 'ripgrep is not installed for this platform', {
      cause: error,
    });
  }
}

/** ripgrep fails as a whole also when it could not read some file: what it found counts then. */
function refuseFailure(exitCode: number | undefined, errorText: string, parser: MatchParser): void {
  if (exitCode === undefined || exitCode <= NO_MATCH || parser.count > 0) return;
  const message = errorText.trim().replace(/^rg: /, '').slice(0, MAX_ERROR_CHARS);
  if (message === '') return;
  const isPattern = /regex|glob|pattern|repetition|unclosed|literal/i.test(message);
  throw new EnvironmentError(isPattern ? 'INVALID_PATTERN' : 'SEARCH_FAILED', message);
}

/** Reads `path NUL line : text` records from chunks. */
class MatchParser {
  readonly #matches: GrepResult['matches'] = [];
  readonly #maxResults: number;
  /** Of all paths. */
  readonly #prefix: string;
  #rest = Buffer.alloc(0);
  #isFull = false;

  constructor(maxResults: number, prefix: string) {
    this.#maxResults = maxResults;
    this.#prefix = prefix;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get count(): number {
    return this.#matches.length;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let start = 0;
    while (!this.#isFull) {
      const pathEnd = bytes.indexOf(0, start);
      const end = pathEnd === -1 ? -1 : bytes.indexOf(0x0a, pathEnd);
      if (end === -1) break;
      // One match beyond the limit tells that there are more.
      if (this.#matches.length >= this.#maxResults) this.#isFull = true;
      else
        this.#add(
          withoutWarning(bytes.toString('utf8', start, pathEnd)),
          bytes.toString('utf8', pathEnd + 1, end),
        );
      start = end + 1;
    }
    this.#rest = this.#isFull ? Buffer.alloc(0) : Buffer.from(bytes.subarray(start));
  }

  result(timedOut: boolean): GrepResult {
    const matches = this.#matches.toSorted((a, b) =>
      a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
    );
    return { matches, truncated: this.#isFull || timedOut };
  }

  #add(path: string, lineAndText: string): void {
    const colon = lineAndText.indexOf(':');
    this.#matches.push({
      path: this.#prefix + path.replace(/^\.\//, ''),
      line: Number(lineAndText.slice(0, colon)),
      text: lineAndText.slice(colon + 1).replace(/\r$/, ''),
    });
  }
}

/** ripgrep's word that it left a binary file ends with a line feed only, so it stands before the next path. */
function withoutWarning(path: string): string {
  const warning = path.lastIndexOf(': WARNING: stopped searching binary file');
  const end = warning === -1 ? -1 : path.indexOf('\n', warning);
  return path.slice(end + 1);
}
