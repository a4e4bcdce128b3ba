/** Parses JSON. Returns undefined if the text is invalid, which is unambiguous because JSON has no undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes the invisible byte order mark that some editors write. */
export const removeByteOrderMark = (text: string): string => text.replace(/^\uFEFF/u, '');

/** Returns whether a value is an object with string keys, not an array or null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
