/**
 * Searches file contents with ripgrep. Its plain output is used instead of JSON, since only there ripgrep shortens lines; a minified file
 * is one line of many megabytes. If a match is after the shown part of a line, the text around it is read from the file.
 */
import type { GrepOptions, GrepResult } from '../../base/ports.ts';
import { decodeText } from './encoding.ts';
import { EnvironmentError } from './environment-error.ts';
import { escapeBrackets } from './glob-pattern.ts';
import type { WorkspacePaths } from './workspace-paths.ts';
import { runRipgrep } from './ripgrep.ts';

const DEFAULT_MAX_RESULTS = 100;
const MAX_RESULTS = 10_000;
const MAX_LINE_CHARS = 500;
/** Minimum number of bytes of a long line that are shown with a match in it. */
const MIN_SHOWN_BYTES = 100;
/** Maximum number of bytes of a long line that are shown before the match. */
const BYTES_BEFORE_MATCH = 200;
const MAX_PATTERN_CHARS = 10_000;

const FIXED_ARGUMENTS = [
  '--no-heading --with-filename --line-number --column --byte-offset',
  `--max-columns=${MAX_LINE_CHARS} --max-columns-preview`,
].flatMap((group) => group.split(' '));

/** Searches files; returns matches sorted by path and line. Rejects with `EnvironmentError`: `INVALID_PATTERN` carries ripgrep's message. */
export async function grepFiles(
  paths: WorkspacePaths,
  pattern: string,
  options: GrepOptions,
): Promise<GrepResult> {
  if (pattern.length > MAX_PATTERN_CHARS) {
    const message = `The pattern has more than ${MAX_PATTERN_CHARS} characters; use a shorter one`;
    throw new EnvironmentError('INVALID_PATTERN', message);
  }
  if (pattern.includes('\0'))
    throw new EnvironmentError('INVALID_PATTERN', 'The pattern contains a NUL character; remove it');
  const { include = '', caseSensitive = true, maxResults = DEFAULT_MAX_RESULTS, signal } = options;
  const parser = new MatchParser(Math.min(Math.max(1, maxResults), MAX_RESULTS));
  const isInTime = await runRipgrep(paths, await paths.resolve(options.path ?? '.'), {
    args: [
      ...FIXED_ARGUMENTS,
      caseSensitive ? '--case-sensitive' : '--ignore-case',
      ...buildIncludeArguments(include),
      `--regexp=${pattern}`,
    ],
    signal,
    hasResult: () => parser.matches.length > 0,
    onOutput: (chunk, show, stop) => {
      parser.parseChunk(chunk, show);
      if (parser.isFull) stop();
    },
  });
  const matches: GrepResult['matches'] = [];
  for (const match of parser.matches.toSorted(compareByPlace))
    matches.push(await showSurroundings(paths, match));
  return { matches, truncated: parser.isFull || !isInTime };
}

const compareByPlace = (a: RawMatch, b: RawMatch): number =>
  a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;

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

/** Removes the column from a match. If ripgrep cut the line before the match, replaces the line by the part around the match. */
async function showSurroundings(
  paths: WorkspacePaths,
  { column, lineStart, ...match }: RawMatch,
): Promise<GrepResult['matches'][number]> {
  const isWhole = Buffer.byteLength(match.text) <= MAX_LINE_CHARS;
  if (isWhole || column + MIN_SHOWN_BYTES <= MAX_LINE_CHARS) return match;
  const start = lineStart + Math.max(0, column - BYTES_BEFORE_MATCH);
  const bytes = await readBytesAt(paths, match.path, start).catch(() => undefined);
  // ripgrep decoded the file from another encoding, so its offset is not valid.
  if (!bytes || bytes.includes(0)) return match;
  const newline = bytes.indexOf('\n');
  const isCut = newline === -1 && bytes.length === MAX_LINE_CHARS;
  const text = bytes.subarray(0, newline === -1 ? bytes.length : newline).toString('utf8');
  return { ...match, text: `…${text.replaceAll(/^\uFFFD+|\uFFFD+$|\r$/gu, '')}${isCut ? '…' : ''}` };
}

const readBytesAt = async (paths: WorkspacePaths, path: string, start: number): Promise<Buffer> =>
  paths.withOpenFile(await paths.resolve(path), async (handle) => {
    const bytes = Buffer.alloc(MAX_LINE_CHARS);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  });

/** Returns ripgrep's options for the glob `include`. Brackets also match literally, as in all globs of this program. */
function buildIncludeArguments(include: string): string[] {
  if (include === '') return [];
  return [...new Set([include, escapeBrackets(include)])].flatMap((pattern) => ['--glob', pattern]);
}

/** Reads `path NUL line : column : offset : text` records from chunks. */
class MatchParser {
  readonly matches: RawMatch[] = [];
  isFull = false;
  readonly #maxResults: number;
  #unreadBytes = Buffer.alloc(0);

  constructor(maxResults: number) {
    this.#maxResults = maxResults;
  }

  /** Reads the next chunk; `show` converts a path of ripgrep to one of the workspace. */
  parseChunk(chunk: Buffer, toShownPath: (path: string) => string): void {
    const bytes = this.#unreadBytes.length > 0 ? Buffer.concat([this.#unreadBytes, chunk]) : chunk;
    let start = 0;
    while (!this.isFull) {
      const pathEnd = bytes.indexOf(0, start);
      const end = pathEnd === -1 ? -1 : bytes.indexOf(0x0a, pathEnd);
      if (end === -1) break;
      // One match more than allowed shows that there are more.
      if (this.matches.length >= this.#maxResults) this.isFull = true;
      else {
        const record = bytes.subarray(pathEnd + 1, end);
        const text = decodeText(record)?.text ?? record.toString('utf8');
        this.#addMatch(toShownPath(stripWarning(bytes.toString('utf8', start, pathEnd))), text);
      }
      start = end + 1;
    }
    this.#unreadBytes = this.isFull ? Buffer.alloc(0) : Buffer.from(bytes.subarray(start));
  }

  #addMatch(path: string, record: string): void {
    const [line = '', column = '', lineStart = ''] = record.split(':', 3);
    const text = record.slice(line.length + column.length + lineStart.length + 3);
    this.matches.push({
      path,
      line: Number(line),
      column: Number(column) - 1,
      lineStart: Number(lineStart),
      text: text.replace(/\r$/, ''),
    });
  }
}

/** Removes ripgrep's warning about a binary file, which ends with a line feed and stands before the next path. */
function stripWarning(path: string): string {
  const warning = path.lastIndexOf(': WARNING: stopped searching binary file');
  const end = warning === -1 ? -1 : path.indexOf('\n', warning);
  return path.slice(end + 1);
}
