/**
 * Finds the file to which a block belongs. Models name the file in a comment on the first line, after the fence, or in the line above,
 * sometimes with an additional or a missing prefix. A name counts only if it matches exactly one file.
 */
import { posix } from 'node:path';
import type { AnswerBlock, ApplyContext } from './types.ts';

const PATH_SOURCE = String.raw`(?:[\w@.+\-()[\]]+[/\\])*[\w@.+\-()[\]]*\.[A-Za-z][\w+]{0,9}|(?:[\w@.+-]+\/)*(?:Makefile|Dockerfile|Rakefile|Gemfile|Procfile)|\/(?:[\w@.+-]+\/)+[\w@.+-]+`;
const LABEL_SOURCE = String.raw`(?:(?:file|filename|file name|path|filepath|in|from|update|updated|modified|new file)\s*[:=]?\s+|(?:file|filename|path|filepath)[:=]\s*)?`;
const NOTE_SOURCE = String.raw`(?:\s*(?:\([^)]*\)|[-–—:,].*))?`;
const toPathPattern = (path: string): string => '[`*"\'<]*(' + path + ')[`*"\'>]*';
/** Matches a comment line that names a file. */
const PATH_COMMENT = new RegExp(
  String.raw`^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|"""|''')\s*${LABEL_SOURCE}${toPathPattern(PATH_SOURCE)}${NOTE_SOURCE}\s*(?:\*\/|-->|"""|''')?\s*$`,
  'i',
);
const BARE_PATH = new RegExp(String.raw`^\s*${toPathPattern(PATH_SOURCE)}:?\s*$`);
const PATH_ATTRIBUTE = /(?:title|file|filename|path)\s*[=:]\s*["']?([^"'\s}]+)/i;
const PATH_IN_INFO = new RegExp(`(?:^|[\\s:])[{]?(${PATH_SOURCE})[}]?\\s*$`);
const PATH_IN_PROSE = new RegExp('[`*"]{1,3}(' + PATH_SOURCE + ')[`*":]{1,4}', 'g');
const PATH_HEADING = new RegExp(
  String.raw`^\s*(?:#{1,6}|\d+[.)]|[-*+>])?\s*${LABEL_SOURCE}${toPathPattern(PATH_SOURCE)}${NOTE_SOURCE}\s*:?\s*$`,
  'i',
);
const MAX_LINE_CHARS = 300;
const COMMENT_START = /^(?:\/\/|#(?!!)|--\s|\/\*|<!--)/;

/** Returns whether a line contains only a file path. */
export const isBarePath = (line: string): boolean => line.length <= MAX_LINE_CHARS && BARE_PATH.test(line);

export interface NamedBlock extends AnswerBlock {
  /** Path in the workspace if the file exists, otherwise the path as written in the answer. */
  path?: string;
  exists: boolean;
  /** Text of the block, including a line that names the file. */
  textWithPathLine: string;
}

export class PathFinder {
  readonly #context: ApplyContext;
  readonly #pathByMention = new Map<string, Promise<string | undefined>>();

  constructor(context: ApplyContext) {
    this.#context = context;
  }

  /** Splits a block into one part for each file that it names. The lines with the names are removed. */
  async splitByFile(block: AnswerBlock): Promise<NamedBlock[]> {
    const parts = await this.#split(block);
    return await Promise.all(parts.map((part) => this.#nameBlock(part)));
  }

  /** Returns the path in the workspace that a written path means; undefined if no file or several files match. */
  async resolve(writtenPath: string): Promise<string | undefined> {
    let path = this.#pathByMention.get(writtenPath);
    if (!path) this.#pathByMention.set(writtenPath, (path = this.#find(writtenPath)));
    return await path;
  }

  async #find(writtenPath: string): Promise<string | undefined> {
    const path = cleanPath(writtenPath);
    if (path === '' || path.startsWith('../')) return undefined;
    const { shownPaths } = this.#context;
    if ((await this.#context.read(path)) !== undefined) return path;
    const parts = path.split('/');
    // A written path with missing parts can only mean a file that the model was shown.
    const shortenedPath = parts
      .map((_, skip) => parts.slice(skip).join('/'))
      .find((shorter) => shownPaths.includes(shorter));
    if (shortenedPath !== undefined) return shortenedPath;
    for (const tail of [path, posix.basename(path)]) {
      const [match, another] = filterByEnding(shownPaths, `/${tail}`);
      if (match !== undefined) return another === undefined ? match : undefined;
    }
    return undefined;
  }

  /** Splits a block at comments that name another file of the workspace. */
  async #split(block: AnswerBlock): Promise<AnswerBlock[]> {
    const ownPath = (await this.#nameBlock(block)).path;
    const lines = block.text.split('\n');
    const starts: number[] = [0];
    for (const [index, line] of lines.entries()) {
      if (index === 0 || line.length > MAX_LINE_CHARS || !COMMENT_START.test(line)) continue;
      const writtenPath = PATH_COMMENT.exec(line)?.[1];
      const otherPath = writtenPath === undefined ? undefined : await this.resolve(writtenPath);
      if (otherPath !== undefined && otherPath !== ownPath) starts.push(index);
    }
    return starts.map((start, index) => ({
      ...block,
      precedingProse: index === 0 ? block.precedingProse : '',
      text: lines.slice(start, starts[index + 1]).join('\n'),
    }));
  }

  async #nameBlock(answerBlock: AnswerBlock): Promise<NamedBlock> {
    const { writtenPath, text } = readFirstLine(answerBlock.text);
    const block = { ...answerBlock, text, textWithPathLine: answerBlock.text };
    const path = writtenPath === undefined ? undefined : await this.resolve(writtenPath);
    if (path !== undefined) return { ...block, path, exists: true };
    for (const mention of [findPathInInfo(block.info), ...findPathsInProse(block.precedingProse)]) {
      const path = mention === undefined ? undefined : await this.resolve(mention);
      // If the path on the first line has another extension, the block belongs to that path.
      if (
        path !== undefined &&
        (writtenPath === undefined || posix.extname(writtenPath) === posix.extname(path))
      )
        return { ...block, path, exists: true };
    }
    const newPath =
      writtenPath ?? findPathInInfo(block.info) ?? findPathsInProse(block.precedingProse, true)[0];
    return newPath === undefined
      ? { ...block, exists: false }
      : { ...block, path: cleanPath(newPath), exists: false };
  }
}

/** Returns the paths that end with `tail`. If none matches exactly, ignores case, because models write `Rows.py` for `rows.py`. */
function filterByEnding(paths: readonly string[], tail: string): string[] {
  const exact = paths.filter((path) => `/${path}`.endsWith(tail));
  if (exact.length > 0) return exact;
  return paths.filter((path) => `/${path}`.toLowerCase().endsWith(tail.toLowerCase()));
}

const cleanPath = (writtenPath: string): string =>
  posix.normalize(writtenPath.trim().replaceAll('\\', '/')).replace(/^(\.?\/)+/, '');

/** Returns the path named on the first line, and the text without that line. */
function readFirstLine(text: string): { writtenPath?: string; text: string } {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() !== '');
  for (const index of [start, start + 1]) {
    const line = lines[index] ?? '';
    if (index < 0 || line.length > MAX_LINE_CHARS) break;
    const writtenPath =
      PATH_COMMENT.exec(line)?.[1] ?? (index === start ? BARE_PATH.exec(line)?.[1] : undefined);
    if (writtenPath !== undefined && !line.startsWith('#!')) {
      const otherLines = [...lines.slice(0, index), ...lines.slice(index + 1)];
      return { writtenPath, text: otherLines.join('\n').replace(/^(?:[ \t]*\n)+/, '') };
    }
    if (!/^(#!|<\?php|['"]use strict)/.test(line)) break;
  }
  return { text };
}

function findPathInInfo(info: string): string | undefined {
  if (info.length > MAX_LINE_CHARS) return undefined;
  return (PATH_ATTRIBUTE.exec(info) ?? PATH_IN_INFO.exec(info))?.[1];
}

/** Returns the paths in the last lines of the prose. `onlyHeading`: accepts only a line that consists of the path. */
function findPathsInProse(prose: string, onlyHeading = false): string[] {
  const lines = prose.split('\n').filter((line) => line.trim() !== '' && line.length <= MAX_LINE_CHARS);
  for (const line of lines.slice(-3).toReversed()) {
    const heading = PATH_HEADING.exec(line)?.[1];
    if (heading !== undefined) return [heading];
    const paths = onlyHeading ? [] : [...line.matchAll(PATH_IN_PROSE)].map(([, path = '']) => path);
    if (paths.length > 0) return new Set(paths).size === 1 ? paths.slice(0, 1) : [];
  }
  return [];
}
