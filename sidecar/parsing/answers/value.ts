/** Reads one value of an answer, with its repairs and doubts. */
import { readLiteral } from '../../base/values/literal.ts';
import { cutOffReason, jsonAdvice, type RawCall } from './result.ts';
import type { AnswerText } from './source.ts';

export type ReadingTraces = Pick<RawCall, 'repaired' | 'doubt'>;

export type ValueReading =
  | { ok: true; value: unknown; traces: ReadingTraces; end: number }
  | { ok: false; reason: string; end: number };

/** Marks that may follow a value whose closing brackets are missing. */
const marks = ['```', '</', '<|', '<｜', '<tool_call', '<end_of'];

/**
 * Reads the value that starts at `at`. A closing mark or a fence inside a string is text, unless the end of
 * the string must be guessed; then the end is before `limit`.
 */
export function readValue(source: AnswerText, at: number, limit = source.text.length): ValueReading {
  const budgetFailure = { ok: false, reason: 'too much broken JSON in one answer', end: limit } as const;
  if (!source.hasBudget) return budgetFailure;
  const reading = readLiteral(source.text, at, { marks });
  if (reading.ok)
    return { ok: true, value: reading.value, end: reading.end, traces: { repaired: !reading.isExact } };
  source.countFailure(reading.position - at);
  if (!source.hasBudget) return budgetFailure;
  const guess = readLiteral(source.text, at, { marks, end: limit, mayGuess: true });
  const doubt = `${reading.reason}. ${jsonAdvice}`;
  if (guess.ok) return { ok: true, value: guess.value, end: guess.end, traces: { repaired: true, doubt } };
  source.countFailure(guess.position - at);
  const isCutOff = reading.isOpen && limit >= source.text.length;
  return { ok: false, reason: isCutOff ? cutOffReason : doubt, end: limit };
}
