/**
 * Searches file contents with ripgrep, a separate process, so that a hostile pattern cannot hang the worker. Output is read as it arrives,
 * and ripgrep is stopped at the limit. Its plain output is used instead of JSON, because only there ripgrep itself shortens lines: a
 * minified file is one line of many megabytes. If a match lies behind the shown part, its surroundings are read from the file. Links are
 * not followed, and ignore files above the workspace have no effect.
 */
import { join, relative, sep } from 'node:path';
import type { GrepOptions, GrepResult } from '../../base/ports.ts';
import { runProgram } from '../../base/system/run-program.ts';
import { decodeText } from './encoding.ts';
import { EnvironmentError } from './environment-error.ts';
import { escapeBrackets } from './glob-pattern.ts';
import type { OpenFolder, WorkspacePaths } from './paths.ts';

const DEFAULT_MAX_RESULTS = 100;
const MAX_RESULTS = 10_000;
const MAX_LINE_CHARS = 500;
/** Bytes from the start of a long line that are shown with a match at least. */
const MIN_SHOWN_BYTES = 100;
const BYTES_BEFORE = 200;
const MAX_PATTERN_CHARS = 10_000;
const TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARS = 4096;
const MAX_ERROR_BYTES = 1024 * 1024;
const NO_MATCH = 1;

const FIXED_ARGUMENTS = [
  '--no-config --color=never --no-heading --with-filename --line-number --column --byte-offset --null',
  `--max-columns=${MAX_LINE_CHARS} --max-columns-preview`,
  '--hidden --no-follow --no-require-git --no-ignore-parent --no-ignore-global',
  '--no-messages --no-ignore-messages',
].flatMap((group) => group.split(' '));

/** Searches files; returns matches sorted by path and line. Rejects with `EnvironmentError`: `INVALID_PATTERN` carries ripgrep's message. */
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
  // A shown folder is searched from its own root, since its path in the workspace is empty.
  const top = paths.shownAt(target.absolute)?.path ?? paths.root;
  const inside = relative(top, target.absolute).split(sep).join('/') || '.';
  const root = await paths.openFolder(top, paths.show(top));
  try {
    const show = (path: string): string => paths.show(join(top, path));
    const found = await search(root, searchArguments(pattern, options, inside), { ...options, show });
    const matches: GrepResult['matches'] = [];
    for (const match of found.matches) matches.push(await showSurroundings(paths, match));
    const result = { matches, truncated: found.truncated };
    // A link that was swapped in while ripgrep ran would have been followed.
    const now = await paths.resolve(target.absolute);
    if (now.absolute === target.absolute && now.stats?.ino === target.stats.ino) return result;
    throw new EnvironmentError('PATH_OUTSIDE_WORKSPACE', `${target.shown} changed during the search`);
  } finally {
    await root.close();
  }
}

/** A match as ripgrep reports it. */
interface RawMatch {
  path: string;
  line: number;
  text: string;
  /** Byte offset of the match in its line, from 0. */
  column: number;
  /** Byte offset of the line in the file. */
  lineStart: number;
}

/** Removes the column of a match; replaces a line that ripgrep cut before the match by the part around the match. */
async function showSurroundings(
  paths: WorkspacePaths,
  { column, lineStart, ...match }: RawMatch,
): Promise<GrepResult['matches'][number]> {
  const isWhole = Buffer.byteLength(match.text) <= MAX_LINE_CHARS;
  if (isWhole || column + MIN_SHOWN_BYTES <= MAX_LINE_CHARS) return match;
  const start = lineStart + Math.max(0, column - BYTES_BEFORE);
  const bytes = await bytesOf(paths, match.path, start).catch(() => undefined);
  // A file that ripgrep decoded has no such offset.
  if (!bytes || bytes.includes(0)) return match;
  const newline = bytes.indexOf('\n');
  const isCut = newline === -1 && bytes.length === MAX_LINE_CHARS;
  const text = bytes.subarray(0, newline === -1 ? bytes.length : newline).toString('utf8');
  return { ...match, text: `…${text.replaceAll(/^\uFFFD+|\uFFFD+$|\r$/gu, '')}${isCut ? '…' : ''}` };
}

async function bytesOf(paths: WorkspacePaths, path: string, start: number): Promise<Buffer> {
  const handle = await paths.openToRead(await paths.resolve(path));
  try {
    const bytes = Buffer.alloc(MAX_LINE_CHARS);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
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
    ...includeArguments(include),
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

/** Returns ripgrep's options for a pattern of paths. Brackets match themselves, too, as in all such patterns. */
function includeArguments(include = ''): string[] {
  if (include === '') return [];
  return [...new Set([include, escapeBrackets(include)])].flatMap((pattern) => ['--glob', pattern]);
}

async function search(
  root: OpenFolder,
  args: string[],
  options: GrepOptions & { show: (path: string) => string },
): Promise<{ matches: RawMatch[]; truncated: boolean }> {
  const maxResults = Math.min(Math.max(1, options.maxResults ?? DEFAULT_MAX_RESULTS), MAX_RESULTS);
  const parser = new MatchParser(maxResults, options.show);
  const { exitCode, early, notStarted, stderr } = await runProgram({
    file: await ripgrepPath(),
    args,
    // The folder is entered between fork and exec, while this process's descriptors are still open.
    cwd: root.entry('').replace('/proc/self/', `/proc/${process.pid}/`),
    env: { PATH: process.env.PATH ?? '' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_ERROR_BYTES,
    signal: options.signal,
    onStdout: (chunk, stop) => {
      parser.push(chunk);
      if (parser.isFull) stop();
    },
  });
  if (early === 'aborted') throw new EnvironmentError('ABORTED', 'The search was aborted');
  if (notStarted !== undefined) throw new EnvironmentError('SEARCH_FAILED', notStarted);
  refuseFailure(exitCode, stderr.toString('utf8'), parser);
  return parser.result(early === 'timeout');
}

/** Returns ripgrep's path. The package throws if it has no program for this platform: then only searches fail. */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw new EnvironmentError('SEARCH_FAILED', 'ripgrep is not installed for this platform', {
      cause: error,
    });
  }
}

/** Throws ripgrep's error, unless there are matches: ripgrep also fails if one file could not be read. */
function refuseFailure(exitCode: number | null, errorText: string, parser: MatchParser): void {
  if (exitCode === null || exitCode <= NO_MATCH || parser.count > 0) return;
  const message = errorText.trim().replace(/^rg: /, '').slice(0, MAX_ERROR_CHARS);
  if (message === '') return;
  const isPattern = /regex|glob|pattern|repetition|unclosed|literal/i.test(message);
  throw new EnvironmentError(isPattern ? 'INVALID_PATTERN' : 'SEARCH_FAILED', message);
}

/** Reads `path NUL line : column : offset : text` records from chunks. */
class MatchParser {
  readonly #matches: RawMatch[] = [];
  readonly #maxResults: number;
  /** Converts a path of ripgrep to one of the workspace. */
  readonly #show: (path: string) => string;
  #rest = Buffer.alloc(0);
  #isFull = false;

  constructor(maxResults: number, show: (path: string) => string) {
    this.#maxResults = maxResults;
    this.#show = show;
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
      // One match beyond the limit shows that there are more.
      if (this.#matches.length >= this.#maxResults) this.#isFull = true;
      else {
        const record = bytes.subarray(pathEnd + 1, end);
        const text = decodeText(record)?.text ?? record.toString('utf8');
        this.#add(stripWarning(bytes.toString('utf8', start, pathEnd)), text);
      }
      start = end + 1;
    }
    this.#rest = this.#isFull ? Buffer.alloc(0) : Buffer.from(bytes.subarray(start));
  }

  result(timedOut: boolean): { matches: RawMatch[]; truncated: boolean } {
    const matches = this.#matches.toSorted((a, b) =>
      a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
    );
    return { matches, truncated: this.#isFull || timedOut };
  }

  #add(path: string, record: string): void {
    const [line = '', column = '', lineStart = ''] = record.split(':', 3);
    const text = record.slice(line.length + column.length + lineStart.length + 3);
    this.#matches.push({
      path: this.#show(path),
      line: Number(line),
      column: Number(column) - 1,
      lineStart: Number(lineStart),
      text: text.replace(/\r$/, ''),
    });
  }
}

/** Removes ripgrep's warning of a binary file, which ends with a line feed and precedes the next path. */
function stripWarning(path: string): string {
  const warning = path.lastIndexOf(': WARNING: stopped searching binary file');
  const end = warning === -1 ? -1 : path.indexOf('\n', warning);
  return path.slice(end + 1);
}
