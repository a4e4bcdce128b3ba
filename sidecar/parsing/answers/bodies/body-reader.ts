/**
 * Types and helpers of the readers that read the text between the marks of a dialect. A body that begins as
 * its grammar requires but cannot be read is reported as a problem. Any other text is no problem, because the
 * mark may only be mentioned.
 */
import type { KnownTools } from '../../../tools/known-tools.ts';
import { earlyCutOffReason, formatNotRun, type RawCall } from '../parsed-answer.ts';
import type { AnswerText } from '../answer-text.ts';
import { readValue, type ValueReading } from '../read-value.ts';

export interface Dialect {
  /** Name for logs and metrics; a body may return a more specific one. */
  family: string;
  openMark: string;
  /** Marks that end the block; a missing one is tolerated if the body is complete. */
  closeMarks: readonly string[];
  /** Readers of the body, tried in order; the first that recognises the body is used. */
  bodyReaders: readonly BodyReader[];
  /** Set if the opening mark is the first part of the body. */
  isMarkInBody?: true;
  /** Set if the mark may also enclose blocks of other dialects. */
  mayWrapDialects?: true;
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
 * Reads the body that starts at `offset`. Returns undefined if the text does not have this form. Never throws.
 */
export type BodyReader = (context: ParseContext, offset: number, dialect: Dialect) => BodyReading | undefined;

/** Returns the latest end of a body: its closing mark, the next call, or the end of the text. */
export function findBodyLimit(source: AnswerText, offset: number, dialect: Dialect): number {
  const end = source.findAny(
    [...dialect.closeMarks, ...(dialect.isMarkInBody ? [] : [dialect.openMark])],
    offset,
  );
  return end === -1 ? source.text.length : end;
}

/** Reads the arguments of a call of `name`, starting at `offset`. */
export function readCallArguments(
  source: AnswerText,
  name: string,
  offset: number,
  dialect: Dialect,
): BodyReading {
  const reading = readArguments(source, offset, dialect);
  return reading.ok
    ? { calls: [{ name, arguments: reading.value, ...reading.repair }], end: reading.end }
    : { calls: [], end: reading.end, problem: formatNotRun(name, reading.reason) };
}

/** Reads JSON arguments, fenced or not. Other text up to the end of the block is returned as text. */
function readArguments(source: AnswerText, offset: number, dialect: Dialect): ValueReading {
  const position = skipFence(source, offset);
  const limit = findBodyLimit(source, position, dialect);
  if (isBracket(source.text[position])) return readValue(source, position, limit);
  const text = source.text.slice(position, limit).trim();
  // At the end of the answer, even the name may be incomplete.
  if (text === '' && limit >= source.text.length) return { ok: false, reason: earlyCutOffReason, end: limit };
  return { ok: true, value: text === '' ? {} : text, end: limit, repair: {} };
}

export const isBracket = (char: string | undefined): boolean => char === '{' || char === '[';

/** Skips white space and the opening line of a code fence. */
export function skipFence(source: AnswerText, offset: number): number {
  const position = source.skipSpace(offset);
  const fence = /^```[a-z_]{0,20}/i.exec(source.text.slice(position, position + 24))?.[0] ?? '';
  return source.skipSpace(position + fence.length);
}
