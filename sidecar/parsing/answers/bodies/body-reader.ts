/**
 * Types and helpers of the readers of the text between the marks of a dialect. If a body begins as its grammar requires but cannot be read,
 * the reader reports a problem. Any other text is no problem, because the answer may only mention the mark.
 */
import type { KnownTools } from '../../../tools/known-tools.ts';
import { earlyCutOffReason, formatNotRun, type RawCall } from '../parsed-answer.ts';
import type { AnswerText } from '../answer-text.ts';
import { readValue, type ValueReading } from '../read-value.ts';

export interface Dialect {
  /** Name of the dialect for logs and metrics. A body reader may return a more specific name. */
  family: string;
  openMark: string;
  /** Marks that end the block. If the body is complete, the mark may be missing. */
  closeMarks: readonly string[];
  /** Readers of the body, tried in order. The first one that recognises the body is used. */
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

/** Calls of a body, and the end of the body. `problem`: reason why the text after these calls cannot be read. */
export interface BodyReading {
  calls: RawCall[];
  end: number;
  family?: string;
  problem?: string;
  /** Set if the body had values, but none of them names a tool. */
  isNameless?: boolean;
}

/**
 * Reads the body that starts at `offset`. Returns undefined if the text does not have this form. Never throws.
 */
export type BodyReader = (context: ParseContext, offset: number, dialect: Dialect) => BodyReading | undefined;

/** Returns the last possible end of a body: its closing mark, the next call, or the end of the text. */
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

/** Reads JSON arguments, with or without a code fence. Returns other text, up to the end of the block, as text. */
function readArguments(source: AnswerText, offset: number, dialect: Dialect): ValueReading {
  const position = skipFence(source, offset);
  const limit = findBodyLimit(source, position, dialect);
  if (isBracket(source.text[position])) return readValue(source, position, limit);
  const text = source.text.slice(position, limit).trim();
  // If the answer ends here, it was cut off, and even the name may be incomplete.
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
