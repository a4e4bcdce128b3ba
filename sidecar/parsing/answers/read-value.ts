/** Reads one value of an answer, and reports whether it was repaired or is doubtful. */
import { readLiteral } from '../../base/values/literal.ts';
import { cutOffReason, jsonAdvice, type RawCall } from './parsed-answer.ts';
import type { AnswerText } from './answer-text.ts';

export type RepairInfo = Pick<RawCall, 'repaired' | 'doubt'>;

export type ValueReading =
  { ok: true; value: unknown; repair: RepairInfo; end: number } | { ok: false; reason: string; end: number };

/** Marks that may follow a value whose closing brackets are missing. */
const followMarks = ['```', '</', '<|', '<｜', '<tool_call', '<end_of'];

/**
 * Reads the value that starts at `offset`. A closing mark or a fence inside a string is part of the string. If the end of the string must
 * be guessed, it is before `limit`.
 */
export function readValue(source: AnswerText, offset: number, limit = source.text.length): ValueReading {
  const budgetFailure = { ok: false, reason: 'too much broken JSON in one answer', end: limit } as const;
  if (!source.hasBudget) return budgetFailure;
  const reading = readLiteral(source.text, offset, { marks: followMarks });
  if (reading.ok)
    return { ok: true, value: reading.value, end: reading.end, repair: { repaired: !reading.isExact } };
  source.countFailure(reading.position - offset);
  if (!source.hasBudget) return budgetFailure;
  const guess = readLiteral(source.text, offset, { marks: followMarks, end: limit, mayGuess: true });
  const doubt = `${reading.reason}. ${jsonAdvice}`;
  if (guess.ok) return { ok: true, value: guess.value, end: guess.end, repair: { repaired: true, doubt } };
  source.countFailure(guess.position - offset);
  const isCutOff = reading.isOpen && limit >= source.text.length;
  return { ok: false, reason: isCutOff ? cutOffReason : doubt, end: limit };
}
