/**
 * Reads one JSON value out of an answer, mending it where it is nearly right (agent.md, Reading an answer):
 * single quotes, trailing commas, comments, raw newlines, cut off at the end. Mending is tried on candidates
 * only, up to 32 KiB and 64 levels, and is always marked.
 */
import { jsonrepair } from 'jsonrepair';
import { escapeStrings } from './escape-strings.ts';
import { maxRepairBytes, type Source } from './source.ts';

export const maxRepairLevels = 64;

export type JsonReading =
  { ok: true; value: unknown; end: number; repaired: boolean } | { ok: false; reason: string; end: number };

/** Plain data with string keys; arrays and null are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when `text` is JSON, undefined otherwise (JSON has no undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
    const mended = repairJson(source, source.text.slice(at, closing + 1));
    if (mended.ok) return { ok: true, value: mended.value, end: closing + 1, repaired: true };
  }
  const mended = repairJson(source, source.text.slice(at, limit));
  if (mended.ok) return { ok: true, value: mended.value, end: limit, repaired: true };
  source.countFailure();
  return { ok: false, reason: mended.reason, end: limit };
}

/** Mends a text that is nearly JSON, within the limits. Never throws. */
export function repairJson(
  source: Source,
  text: string,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  if (text.length > maxRepairBytes || Buffer.byteLength(text) > maxRepairBytes)
    return { ok: false, reason: `the JSON is broken and larger than ${maxRepairBytes} bytes` };
  if (nestingLevels(text) > maxRepairLevels)
    return { ok: false, reason: `the JSON is broken and nested deeper than ${maxRepairLevels} levels` };
  if (!source.spendRepair(text.length)) return { ok: false, reason: 'too much broken JSON in one answer' };
  try {
    // Triple quotes look to the repair like an empty string and more.
    const plain = text.includes('"""') ? escapeStrings(text) : text;
    return { ok: true, value: JSON.parse(jsonrepair(plain)) as unknown };
  } catch (error) {
    const value = parseJson(escapeStrings(text));
    if (value !== undefined) return { ok: true, value };
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `the JSON cannot be read: ${detail}` };
  }
}

/** The deepest nesting, with brackets in strings counted too: a cheap upper bound. */
function nestingLevels(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '{' || char === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
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
