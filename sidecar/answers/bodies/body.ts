/**
 * How the text between the marks of a dialect is read. A body that begins as its grammar says and then cannot be read
 * is a problem; one that does not begin so is none, for the mark may be only spoken about.
 */
import type { KnownTools } from '../../tools/known-tools.ts';
import { cutOffBefore, notRun, type RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { readValue, type ValueReading } from '../value.ts';

/** One row of the table of dialects. */
export interface Dialect {
  /** Name for logs and metrics; a body may give a more exact one. */
  family: string;
  open: string;
  /** Any of these ends the block; a missing one is forgiven when the body is complete. */
  close: readonly string[];
  /** Tried in order; the first that recognises the body wins. */
  bodies: readonly Body[];
  /** The opening mark is the first part of the body, so reading starts at it. */
  readsMark?: true;
  /** The mark may also stand around blocks of other dialects. */
  wraps?: true;
}

export interface Context {
  source: Source;
  tools: KnownTools;
}

/** The calls of a body, and where it ends. With `problem`: why what stands behind these calls cannot be read. */
export interface Reading {
  calls: RawCall[];
  end: number;
  family?: string;
  problem?: string;
  /** There were values, and none of them names a tool. */
  isNameless?: boolean;
}

/** Reads the body that starts at `at`; undefined when it is not in this form. Never throws. */
export type Body = (context: Context, at: number, dialect: Dialect) => Reading | undefined;

/** The latest end of a body: its closing mark, the next call, or the end of the text. */
export function bodyLimit(source: Source, at: number, dialect: Dialect): number {
  const end = source.findAny([...dialect.close, ...(dialect.readsMark ? [] : [dialect.open])], at);
  return end === -1 ? source.text.length : end;
}

/** The call of `name` with the arguments from `at` on. */
export function readNamed(source: Source, name: string, at: number, dialect: Dialect): Reading {
  const read = readArguments(source, at, dialect);
  return read.ok
    ? { calls: [{ name, arguments: read.value, ...read.traces }], end: read.end }
    : { calls: [], end: read.end, problem: notRun(name, read.reason) };
}

/** JSON, in a code fence or not; text that is no JSON stays text, up to the block's end. */
function readArguments(source: Source, at: number, dialect: Dialect): ValueReading {
  const position = skipFence(source, at);
  const limit = bodyLimit(source, position, dialect);
  if (isBracket(source.text[position])) {
    const read = readValue(source, position, limit);
    const end = source.skipSpace(read.end);
    return read.ok && source.text.startsWith('```', end) ? { ...read, end: end + 3 } : read;
  }
  const text = source.text.slice(position, limit).trim();
  // Without anything behind it even the name may be half of one.
  if (text === '' && limit >= source.text.length) return { ok: false, reason: cutOffBefore, end: limit };
  return { ok: true, value: text === '' ? {} : text, end: limit, traces: {} };
}

export const isBracket = (char: string | undefined): boolean => char === '{' || char === '[';

/** Past white space and the opening line of a code fence. */
export function skipFence(source: Source, at: number): number {
  const position = source.skipSpace(at);
  const fence = /^```[a-z_]{0,20}/i.exec(source.text.slice(position, position + 24))?.[0] ?? '';
  return source.skipSpace(position + fence.length);
}
