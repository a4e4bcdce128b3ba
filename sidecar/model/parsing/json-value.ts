/**
 * Reads one JSON value out of an answer, mending it where it is nearly right:
 * single quotes, trailing commas, comments, raw newlines, cut off at the end. Mending is tried on candidates
 * only, within the limits of `repair-json.ts`, and is always marked.
 */
import { parseJson } from '../../values/json.ts';
import { keepBackslashes, repairJson, whyNotRepaired, type ParsedJson } from '../../values/repair-json.ts';
import { escapeStrings } from './escape-strings.ts';
import type { Source } from './source.ts';

export type JsonReading =
  { ok: true; value: unknown; end: number; repaired: boolean } | { ok: false; reason: string; end: number };

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
export function readJson(source: Source, at: number, limit: number): JsonReading {
  const exact = readExactJson(source, at);
  if (exact) return { ok: true, ...exact, repaired: false };
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

/** Whether a JSON text stops in the middle of a string, so that a value is incomplete and not only unclosed. */
export function stopsInsideString(text: string): boolean {
  let quote = '';
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (quote !== '' && char === '\\') i += 1;
    else if (char === quote) quote = '';
    else if (quote === '' && char === '"') quote = char;
  }
  return quote !== '';
}
