/**
 * Foldings under which two lines count as the same, from strict to loose (tools.md, apply_patch; formats.md).
 * Typographic folding maps character by character, so that offsets stay what they are.
 */
export type Fold = (line: string) => string;

const TYPOGRAPHIC =
  /[\u2010-\u2015\u2212]|[\u2018-\u201B]|[\u201C-\u201F]|[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g;

/** Dashes, curly quotes and special spaces become their plain selves. */
export const foldTypography: Fold = (text) => text.replace(TYPOGRAPHIC, plainCharacter);

function plainCharacter(char: string): string {
  const code = char.charCodeAt(0);
  if (code === 0x2212 || (code >= 0x2010 && code <= 0x2015)) return '-';
  if (code >= 0x2018 && code <= 0x201b) return "'";
  return code >= 0x201c && code <= 0x201f ? '"' : ' ';
}

export const exactly: Fold = (line) => line;
export const withoutTrailing: Fold = (line) => line.trimEnd();
export const withoutSurrounding: Fold = (line) => line.trim();
export const withoutSurroundingOrTypography: Fold = (line) => foldTypography(line).trim();

/** Where a line's text begins. */
export const indentOf = (line: string): string => /^[\t\p{Zs}]*/u.exec(line)?.[0] ?? '';

export const isBlank = (line: string): boolean => line.trim() === '';
