/**
 * Reads one JSON value out of an answer, from strict to loose: as it is; by the tolerant grammar, which never guesses
 * where a string ends; mended, which may guess and is marked as uncertain. A closing mark or a fence inside of a
 * string is text for the first two, and bounds only the last.
 */
import { parseJson } from '../../values/json.ts';
import { readTolerantJson } from '../../values/tolerant-json.ts';
import { keepBackslashes, repairJson, whyNotRepaired, type ParsedJson } from '../../values/repair-json.ts';
import { escapeStrings } from './escape-strings.ts';
import type { Source } from './source.ts';

export type JsonReading =
  | { ok: true; value: unknown; end: number; repaired: boolean; uncertain?: string; isOpen?: boolean }
  | { ok: false; reason: string; end: number };

/** A quote that closes the last text of an object, or the beginning of another call, whichever comes first. */
const textEndOrCall =
  /["'”]\s{0,20}\}|(\{\s{0,20}["'“]?(?:\w{0,20}name|tool\w*|function|action|id|type|arguments|parameters)\b)/g;

/** How a call is to be sent again whose texts cannot be told apart. */
export const jsonAdvice =
  'Send the whole call again as valid JSON: inside a text write \\" for each quote and \\n for each line break';

/** Reads the value that starts at the bracket `at`, as it is. Undefined when it is not JSON. */
export function readExactJson(source: Source, at: number): { value: unknown; end: number } | undefined {
  const closing = source.brackets.closing(at);
  if (closing === -1 || !source.isPatient || !source.spend(closing - at)) return undefined;
  const value = parseJson(source.text.slice(at, closing + 1));
  if (value !== undefined) return { value, end: closing + 1 };
  source.countFailure();
  return undefined;
}

/**
 * Reads the value that starts at the bracket `at`; `limit` is where it must end at the latest (a closing mark
 * or the end of the text) when its brackets do not balance.
 */
export function readJson(
  source: Source,
  at: number,
  limit: number,
  marks: readonly string[] = [],
): JsonReading {
  const exact = readExactJson(source, at);
  if (exact) return { ok: true, ...exact, repaired: false, uncertain: whyTooShort(source, exact.end) };
  if (!source.maySearchOn) {
    source.countFailure();
    return { ok: false, reason: 'too much broken JSON in one answer', end: limit };
  }
  const read = readTolerantJson(source.text, at, { end: source.text.length, marks });
  source.spendSearch((read.ok ? read.end : read.at) - at);
  if (read.ok) {
    const uncertain = whyTooShort(source, read.end);
    return { ok: true, value: read.value, end: read.end, repaired: true, uncertain };
  }
  const mended = mendUpTo(source, at, limit);
  return mended.ok ? { ...mended, uncertain: `${read.reason}. ${jsonAdvice}`, isOpen: read.isOpen } : mended;
}

/** The end of a text behind a value says that one of its texts ended too early, at a quote that was not escaped. */
export function whyTooShort(source: Source, end: number): string | undefined {
  const found = source.findMatch(textEndOrCall, end);
  return found && found[1] === undefined
    ? `the end of a text stands behind the JSON. ${jsonAdvice}`
    : undefined;
}

/** Loose mending of what ends at its bracket or else at `limit`. */
function mendUpTo(source: Source, at: number, limit: number): JsonReading {
  const closing = source.brackets.closing(at);
  if (closing !== -1 && closing < limit) {
    const mended = mendJson(source, source.text.slice(at, closing + 1));
    if (mended.ok) return { ok: true, value: mended.value, end: closing + 1, repaired: true };
  }
  const mended = mendJson(source, source.text.slice(at, limit));
  if (mended.ok) return { ok: true, value: mended.value, end: limit, repaired: true };
  source.countFailure();
  return { ok: false, reason: mended.reason, end: limit };
}

/** Mends a text that is nearly JSON, within the limits and the answer's budget. Never throws. */
export function mendJson(source: Source, text: string): ParsedJson {
  const tooMuch = whyNotRepaired(text);
  if (tooMuch !== undefined) return { ok: false, reason: tooMuch };
  if (!source.spendRepair(text.length)) return { ok: false, reason: 'too much broken JSON in one answer' };
  // Triple quotes look to the repair like an empty string and more.
  const mended = repairJson(text.includes('"""') ? escapeStrings(text) : text);
  if (mended.ok) return mended;
  const value = parseJson(escapeStrings(keepBackslashes(text)));
  return value === undefined ? mended : { ok: true, value };
}
