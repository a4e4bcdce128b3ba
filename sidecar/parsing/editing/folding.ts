/** Foldings, which make texts comparable by replacing characters. The typographic folding preserves the position of every character. */
type Fold = (line: string) => string;

const TYPOGRAPHIC_CHARACTER =
  /[\u00A0\u2002-\u200A\u2010-\u2015\u2018-\u201F\u202F\u205F\u2212\u3000\uFF01-\uFF5E]/;
/**
 * Replaces dashes, curly quotes, special spaces and full-width forms by plain characters. Replaces code unit by code unit instead of by a
 * pattern, so that a long text with many curly quotes is not slower.
 */
export const foldTypography: Fold = (text) => {
  if (!TYPOGRAPHIC_CHARACTER.test(text)) return text;
  const bytes = Buffer.allocUnsafe(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const unit = foldUnit(text.charCodeAt(index));
    bytes[index * 2] = unit & 0xff;
    bytes[index * 2 + 1] = unit >> 8;
  }
  return bytes.toString('utf16le');
};

function foldUnit(unit: number): number {
  if (unit < 0xa0) return unit;
  if (unit === 0x2212 || (unit >= 0x2010 && unit <= 0x2015)) return 0x2d;
  if (unit >= 0x2018 && unit <= 0x201b) return 0x27;
  if (unit >= 0x201c && unit <= 0x201f) return 0x22;
  if (unit >= 0xff01 && unit <= 0xff5e) return unit - 0xfee0;
  const isSpace = unit === 0xa0 || (unit >= 0x2002 && unit <= 0x200a) || unit === 0x202f || unit === 0x205f;
  return isSpace || unit === 0x3000 ? 0x20 : unit;
}

/** Trims a line, and replaces each run of white space inside it by one space. */
const foldSpaces: Fold = (line) => {
  const inner = line.trim();
  return inner.includes('  ') || inner.includes('\t') ? inner.replace(/\s+/g, ' ') : inner;
};

/** Levels of comparing lines, from strict to loose. `matchNote`: description of a match, as the end of a sentence "matched …". */
export const FOLD_LEVELS: readonly { fold: Fold; matchNote: string }[] = [
  { fold: (line) => line, matchNote: '' },
  { fold: (line) => line.trimEnd(), matchNote: 'ignoring trailing white space' },
  { fold: foldSpaces, matchNote: 'ignoring white space; the new lines were re-indented' },
  {
    fold: (line) => foldSpaces(foldTypography(line)),
    matchNote: 'ignoring typographic characters and white space; the new lines were re-indented',
  },
];

/** Returns the leading white space of a line. */
export const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

export const isBlank = (line: string): boolean => line.trim() === '';
