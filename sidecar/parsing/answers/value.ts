/** Reads one value of an answer, with its repairs and doubts. */
import { readLiteral } from '../../base/values/literal.ts';
import { cutOffReason, jsonAdvice, type RawCall } from './result.ts';
import type { Source } from './source.ts';

export type ReadingMarks = Pick<RawCall, 'repaired' | 'doubt'>;

export type ValueReading =
  | { ok: true; value: unknown; traces: ReadingMarks; end: number }
  | { ok: false; reason: string; end: number };

/** Marks that may follow a value whose closing brackets are missing. */
const marks = ['```', '</', '<|', '<｜', '<tool_call', '<end_of'];

/**
 * Reads the value that starts at `at`. A closing mark or a fence inside a string is text, unless the end of
 * the string must be guessed; then the end is before `limit`.
 */
export function readValue(source: Source, at: number, limit = source.text.length): ValueReading {
  const tooMuch = { ok: false, reason: 'too much broken JSON in one answer', end: limit } as const;
  if (!source.hasBudget) return tooMuch;
  const read = readLiteral(source.text, at, { marks });
  if (read.ok) return { ok: true, value: read.value, end: read.end, traces: { repaired: !read.isExact } };
  source.countFailure(read.at - at);
  if (!source.hasBudget) return tooMuch;
  const guessed = readLiteral(source.text, at, { marks, end: limit, guess: true });
  const doubt = `${read.reason}. ${jsonAdvice}`;
  if (guessed.ok)
    return { ok: true, value: guessed.value, end: guessed.end, traces: { repaired: true, doubt } };
  source.countFailure(guessed.at - at);
  const isCutOff = read.isOpen && limit >= source.text.length;
  return { ok: false, reason: isCutOff ? cutOffReason : doubt, end: limit };
}
