/**
 * Types and helpers of the readers that read the text between the marks of a dialect. A body that begins as
 * its grammar requires but cannot be read is reported as a problem. Any other text is no problem, because the
 * mark may only be mentioned.
 */
import type { KnownTools } from '../../../tools/known-tools.ts';
import { earlyCutOffReason, formatNotRun, type RawCall } from '../result.ts';
import type { AnswerText } from '../source.ts';
import { readValue, type ValueReading } from '../value.ts';

export interface Dialect {
  /** Name for logs and metrics; a body may return a more specific one. */
  family: string;
  open: string;
  /** Marks that end the block; a missing one is tolerated if the body is complete. */
  close: readonly string[];
  /** Readers of the body, tried in order; the first that recognises the body is used. */
  bodies: readonly BodyReader[];
  /** Set if the opening mark is the first part of the body. */
  readsMark?: true;
  /** Set if the mark may also enclose blocks of other dialects. */
  wraps?: true;
}

export interface ParseContext {
  source: AnswerText;
  tools: KnownTools;
}

/** Calls of a body, and its end. `problem`: why the text after these calls cannot be read. */
export interface BodyReading {
  calls: RawCall[];
  end: number;
  family?: string;
  problem?: string;
  /** Set if there were values but none names a tool. */
  isNameless?: boolean;
}

/**
 * Reads the body that starts at `at`. Returns undefined if the text does not have this form. Never throws.
 */
export type BodyReader = (context: ParseContext, at: number, dialect: Dialect) => BodyReading | undefined;

/** Returns the latest end of a body: its closing mark, the next call, or the end of the text. */
export function findBodyLimit(source: AnswerText, at: number, dialect: Dialect): number {
  const end = source.findAny([...dialect.close, ...(dialect.readsMark ? [] : [dialect.open])], at);
  return end === -1 ? source.text.length : end;
}

/** Reads the arguments of a call of `name`, starting at `at`. */
export function readNamed(source: AnswerText, name: string, at: number, dialect: Dialect): BodyReading {
  const read = readArguments(source, at, dialect);
  return read.ok
    ? { calls: [{ name, arguments: read.value, ...read.traces }], end: read.end }
    : { calls: [], end: read.end, problem: formatNotRun(name, read.reason) };
}

/** Reads JSON arguments, fenced or not. Other text up to the end of the block is returned as text. */
function readArguments(source: AnswerText, at: number, dialect: Dialect): ValueReading {
  const position = skipFence(source, at);
  const limit = findBodyLimit(source, position, dialect);
  if (isBracket(source.text[position])) return readValue(source, position, limit);
  const text = source.text.slice(position, limit).trim();
  // At the end of the answer, even the name may be incomplete.
  if (text === '' && limit >= source.text.length) return { ok: false, reason: earlyCutOffReason, end: limit };
  return { ok: true, value: text === '' ? {} : text, end: limit, traces: {} };
}

export const isBracket = (char: string | undefined): boolean => char === '{' || char === '[';

/** Skips white space and the opening line of a code fence. */
export function skipFence(source: AnswerText, at: number): number {
  const position = source.skipSpace(at);
  const fence = /^```[a-z_]{0,20}/i.exec(source.text.slice(position, position + 24))?.[0] ?? '';
  return source.skipSpace(position + fence.length);
}
