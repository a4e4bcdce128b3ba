/** JSON that came from elsewhere, before anything is known of it. */

/** The value of a JSON text; undefined where it is none (JSON has no undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A file's text as JSON wants it: some editors write a byte order mark, which nobody sees. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/u, '');

/** Plain data with string keys; arrays and null are not. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
