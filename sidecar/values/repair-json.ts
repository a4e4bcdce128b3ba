/**
 * JSON of models that is nearly right: single quotes, trailing commas, comments, raw newlines, cut off at the end. It is
 * mended up to 32 KiB and 64 levels, since that is not linear: 250 KB take 20 s.
 */
import { jsonrepair } from 'jsonrepair';
import { errorMessage } from './errors.ts';

export const MAX_REPAIR_BYTES = 32 * 1024;
export const MAX_REPAIR_LEVELS = 64;

/** `reason` is for the model. */
export type ParsedJson = { ok: true; value: unknown } | { ok: false; reason: string };

/** What `text` says, mended where it is nearly JSON. Never throws. */
export function parseOrRepair(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return repairJson(text);
  }
}

/** Mends a text that is nearly JSON, within the limits. Never throws. */
export function repairJson(text: string): ParsedJson {
  const reason = whyNotRepaired(text);
  if (reason !== undefined) return { ok: false, reason };
  try {
    return { ok: true, value: JSON.parse(jsonrepair(keepBackslashes(text))) };
  } catch (error) {
    const detail = errorMessage(error);
    return { ok: false, reason: `the JSON cannot be read: ${detail}` };
  }
}

/** A backslash and what gives it a meaning, in JSON or in what models take for JSON; alone where nothing does. */
const escape = /\\(?:["\\/bfnrt'`_\n]|u[\da-fA-F]{4}|)/g;

/**
 * The text with the backslashes doubled that JSON has no meaning for: models write regular expressions and paths as
 * they are (`"\d+\.js"`), and the repair would drop the backslashes without a word.
 */
export function keepBackslashes(text: string): string {
  return text.includes('\\') ? text.replace(escape, (found) => (found === '\\' ? '\\\\' : found)) : text;
}

/** The limit that a broken text is beyond; undefined where it may be tried. */
export function whyNotRepaired(text: string): string | undefined {
  if (text.length > MAX_REPAIR_BYTES || Buffer.byteLength(text) > MAX_REPAIR_BYTES)
    return `the JSON is broken and larger than ${MAX_REPAIR_BYTES} bytes`;
  if (nestingLevels(text) > MAX_REPAIR_LEVELS)
    return `the JSON is broken and nested deeper than ${MAX_REPAIR_LEVELS} levels`;
  return undefined;
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
