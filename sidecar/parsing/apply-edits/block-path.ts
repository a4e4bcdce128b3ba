/**
 * Finds the file that a block belongs to. Models name the file in a comment on the first line, after the
 * fence, or in the line above, sometimes with an additional or a missing prefix. A name counts only if it
 * matches exactly one file.
 */
import { posix } from 'node:path';
import type { AnswerBlock, ApplyingContext } from './types.ts';

const PATH = String.raw`(?:[\w@.+\-()[\]]+[/\\])*[\w@.+\-()[\]]*\.[A-Za-z][\w+]{0,9}|(?:[\w@.+-]+\/)*(?:Makefile|Dockerfile|Rakefile|Gemfile|Procfile)|\/(?:[\w@.+-]+\/)+[\w@.+-]+`;
const LABEL = String.raw`(?:(?:file|filename|file name|path|filepath|in|from|update|updated|modified|new file)\s*[:=]?\s+|(?:file|filename|path|filepath)[:=]\s*)?`;
const NOTE = String.raw`(?:\s*(?:\([^)]*\)|[-–—:,].*))?`;
const toPathPattern = (path: string): string => '[`*"\'<]*(' + path + ')[`*"\'>]*';
/** Matches a comment line that names a file. */
const PATH_COMMENT = new RegExp(
  String.raw`^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|"""|''')\s*${LABEL}${toPathPattern(PATH)}${NOTE}\s*(?:\*\/|-->|"""|''')?\s*$`,
  'i',
);
const BARE_PATH = new RegExp(String.raw`^\s*${toPathPattern(PATH)}:?\s*$`);
const PATH_ATTRIBUTE = /(?:title|file|filename|path)\s*[=:]\s*["']?([^"'\s}]+)/i;
const PATH_IN_INFO = new RegExp(`(?:^|[\\s:])[{]?(${PATH})[}]?\\s*$`);
const PATH_IN_PROSE = new RegExp('[`*"]{1,3}(' + PATH + ')[`*":]{1,4}', 'g');
const PATH_HEADING = new RegExp(
  String.raw`^\s*(?:#{1,6}|\d+[.)]|[-*+>])?\s*${LABEL}${toPathPattern(PATH)}${NOTE}\s*:?\s*$`,
  'i',
);
const MAX_LINE_CHARS = 300;
const COMMENT_START = /^(?:\/\/|#(?!!)|--\s|\/\*|<!--)/;

/** Whether a line contains only a file path. */
export const isBarePath = (line: string): boolean => line.length <= MAX_LINE_CHARS && BARE_PATH.test(line);

export interface NamedBlock extends AnswerBlock {
  /** Path in the workspace. If the file does not exist, the path as given in the answer. */
  path?: string;
  exists: boolean;
  /** Text of the block, including the line that names the file. */
  whole: string;
}

export class PathFinder {
  readonly #context: ApplyingContext;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(context: ApplyingContext) {
    this.#context = context;
  }

  /** Splits a block into one part for each file that it names. The lines with the names are removed. */
  async name(block: AnswerBlock): Promise<NamedBlock[]> {
    const parts = await this.#split(block);
    return await Promise.all(parts.map((part) => this.#nameBlock(part)));
  }

  /** Returns the path in the workspace, or undefined if no file or several match. */
  async resolve(said: string): Promise<string | undefined> {
    let found = this.#known.get(said);
    if (!found) this.#known.set(said, (found = this.#find(said)));
    return await found;
  }

  async #find(said: string): Promise<string | undefined> {
    const path = cleanPath(said);
    if (path === '' || path.startsWith('../')) return undefined;
    const { shown } = this.#context;
    if ((await this.#context.read(path)) !== undefined) return path;
    const parts = path.split('/');
    // A shortened path counts only for shown files.
    const shortenedPath = parts
      .map((_, skip) => parts.slice(skip).join('/'))
      .find((each) => shown.includes(each));
    if (shortenedPath !== undefined) return shortenedPath;
    for (const tail of [path, posix.basename(path)]) {
      const [found, another] = pathsEndingWith(shown, `/${tail}`);
      if (found !== undefined) return another === undefined ? found : undefined;
    }
    return undefined;
  }

  /** Splits a block at comments that name another file of the workspace. */
  async #split(block: AnswerBlock): Promise<AnswerBlock[]> {
    const own = (await this.#nameBlock(block)).path;
    const lines = block.text.split('\n');
    const starts: number[] = [0];
    for (const [index, line] of lines.entries()) {
      if (index === 0 || line.length > MAX_LINE_CHARS || !COMMENT_START.test(line)) continue;
      const said = PATH_COMMENT.exec(line)?.[1];
      const other = said === undefined ? undefined : await this.resolve(said);
      if (other !== undefined && other !== own) starts.push(index);
    }
    return starts.map((start, index) => ({
      ...block,
      before: index === 0 ? block.before : '',
      text: lines.slice(start, starts[index + 1]).join('\n'),
    }));
  }

  async #nameBlock(given: AnswerBlock): Promise<NamedBlock> {
    const { said, text } = readFirstLine(given.text);
    const block = { ...given, text, whole: given.text };
    const path = said === undefined ? undefined : await this.resolve(said);
    if (path !== undefined) return { ...block, path, exists: true };
    for (const other of [findPathInInfo(block.info), ...findPathsInProse(block.before)]) {
      const path = other === undefined ? undefined : await this.resolve(other);
      // If the first line names a path with another extension, the block belongs to that path.
      if (path !== undefined && (said === undefined || posix.extname(said) === posix.extname(path)))
        return { ...block, path, exists: true };
    }
    const fresh = said ?? findPathInInfo(block.info) ?? findPathsInProse(block.before, true)[0];
    return fresh === undefined
      ? { ...block, exists: false }
      : { ...block, path: cleanPath(fresh), exists: false };
  }
}

/**
 * Returns the paths that end with `tail`. Ignores case if no path matches exactly (models write `Rows.py` for
 * `rows.py`).
 */
function pathsEndingWith(paths: readonly string[], tail: string): string[] {
  const exact = paths.filter((path) => `/${path}`.endsWith(tail));
  if (exact.length > 0) return exact;
  return paths.filter((path) => `/${path}`.toLowerCase().endsWith(tail.toLowerCase()));
}

const cleanPath = (said: string): string =>
  posix.normalize(said.trim().replaceAll('\\', '/')).replace(/^(\.?\/)+/, '');

/** Returns the path named on the first line, and the text without that line. */
function readFirstLine(text: string): { said?: string; text: string } {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() !== '');
  for (const at of [start, start + 1]) {
    const line = lines[at] ?? '';
    if (at < 0 || line.length > MAX_LINE_CHARS) break;
    const said = PATH_COMMENT.exec(line)?.[1] ?? (at === start ? BARE_PATH.exec(line)?.[1] : undefined);
    if (said !== undefined && !line.startsWith('#!')) {
      const rest = [...lines.slice(0, at), ...lines.slice(at + 1)];
      return { said, text: rest.join('\n').replace(/^(?:[ \t]*\n)+/, '') };
    }
    if (!/^(#!|<\?php|['"]use strict)/.test(line)) break;
  }
  return { text };
}

function findPathInInfo(info: string): string | undefined {
  if (info.length > MAX_LINE_CHARS) return undefined;
  return (PATH_ATTRIBUTE.exec(info) ?? PATH_IN_INFO.exec(info))?.[1];
}

/**
 * Returns the path in the last lines of the prose. `onlyHeading`: accepts only a line that consists of the
 * path.
 */
function findPathsInProse(before: string, onlyHeading = false): string[] {
  const lines = before.split('\n').filter((line) => line.trim() !== '' && line.length <= MAX_LINE_CHARS);
  for (const line of lines.slice(-3).toReversed()) {
    const heading = PATH_HEADING.exec(line)?.[1];
    if (heading !== undefined) return [heading];
    const paths = onlyHeading ? [] : [...line.matchAll(PATH_IN_PROSE)].map(([, path = '']) => path);
    if (paths.length > 0) return new Set(paths).size === 1 ? paths.slice(0, 1) : [];
  }
  return [];
}
