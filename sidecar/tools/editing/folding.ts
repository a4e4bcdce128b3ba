/**
 * Foldings under which two lines count as the same, from strict to loose (tools.md, apply_patch; formats.md).
 * Typographic folding maps character by character, so that offsets stay what they are.
 */
export type Fold = (line: string) => string;

const TYPOGRAPHIC = /[\u00A0\u2002-\u200A\u2010-\u2015\u2018-\u201F\u202F\u205F\u2212\u3000]/;
const EVERY_TYPOGRAPHIC = new RegExp(TYPOGRAPHIC, 'g');

/** Dashes, curly quotes and special spaces become their plain selves; a text without any comes back itself. */
export const foldTypography: Fold = (text) =>
  TYPOGRAPHIC.test(text) ? text.replace(EVERY_TYPOGRAPHIC, plainCharacter) : text;

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

/** The white space that a line begins with. */
export const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

export const isBlank = (line: string): boolean => line.trim() === '';
