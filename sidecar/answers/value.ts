/** Reads one value out of an answer, and says how sure that is in the words of a call. */
import { readLiteral } from '../values/literal.ts';
import { cutOff, jsonAdvice, type RawCall } from './result.ts';
import type { Source } from './source.ts';

/** What a reading leaves on a call. */
export type Traces = Pick<RawCall, 'repaired' | 'doubt'>;

export type ValueReading =
  { ok: true; value: unknown; traces: Traces; end: number } | { ok: false; reason: string; end: number };

/** How the marks begin that may stand behind a value whose closing brackets were left out. */
const marks = ['```', '</', '<|', '<｜', '<tool_call', '<end_of'];

/**
 * Reads the value that starts at `at`. A closing mark or a fence inside of a string is text, unless where the string
 * ends has to be guessed: then it ends before `limit`.
 */
export function readValue(source: Source, at: number, limit = source.text.length): ValueReading {
  const tooMuch = { ok: false, reason: 'too much broken JSON in one answer', end: limit } as const;
  if (!source.isPatient) return tooMuch;
  const read = readLiteral(source.text, at, { marks });
  if (read.ok)
    return { ok: true, value: read.value, end: read.end, traces: { repaired: read.grade !== 'exact' } };
  source.countFailure(read.at - at);
  if (!source.isPatient) return tooMuch;
  const guessed = readLiteral(source.text, at, { marks, end: limit, guess: true });
  const doubt = `${read.reason}. ${jsonAdvice}`;
  if (guessed.ok)
    return { ok: true, value: guessed.value, end: guessed.end, traces: { repaired: true, doubt } };
  source.countFailure(guessed.at - at);
  const isCutOff = read.isOpen && limit >= source.text.length;
  return { ok: false, reason: isCutOff ? cutOff : doubt, end: limit };
}

/**
 * Whether a text closes a bracket that it did not open, right behind a quote. Behind a call that says that one of the
 * call's texts went on behind a quote that was not escaped.
 */
export function closesText(text: string): boolean {
  if (!/["'”]\s{0,20}[}\])]/.test(text)) return false;
  const depths: Record<string, number> = { '}': 0, ']': 0, ')': 0 };
  for (const { 0: found } of text.matchAll(/["'”]\s{0,20}[}\])]|[{}[\]()]/g)) {
    const bracket = found.at(-1) ?? '';
    const opened = closing[bracket];
    if (opened !== undefined) depths[opened] = (depths[opened] ?? 0) + 1;
    else if ((depths[bracket] ?? 0) > 0) depths[bracket] = (depths[bracket] ?? 0) - 1;
    else if (found.length > 1) return true;
  }
  return false;
}

/** Tags of the dialects whose values are not escaped, closing ones first, and the marks around Gemma's texts. */
const tagNames = '(parameter|param|function|invoke|arg_key|arg_value|arguments|input)';
const tagPrefix = '(?:｜DSML｜|[a-z]{1,8}[:_])?';
const valueTag = new RegExp(
  `</${tagPrefix}${tagNames}>|<${tagPrefix}${tagNames}[\\s=>]|<escape>|<\\|"\\|>`,
  'g',
);

/** Whether a text closes an element of a call that it did not open: one of the call's values went on behind its tag. */
export function closesElement(text: string): boolean {
  const opened = new Set<string>();
  for (const [, closed = '', name] of text.matchAll(valueTag)) {
    if (name === undefined && !opened.has(closed)) return true;
    opened.add(name ?? closed);
  }
  return false;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
