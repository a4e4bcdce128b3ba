/**
 * How free text stands in a plan document: as it is wherever it can, with backslash escapes where it would be
 * read as structure or lost. `decodeText(encode…(text))` is `text` for every string. Escapes: `\n` `\r` `\t`,
 * `\s` a space, `\e` nothing (an empty line or list item), `\u{hex}`, and `\` before punctuation.
 */

const NAMED: Record<string, string> = { n: '\n', r: '\r', t: '\t', s: ' ', e: '' };
/** Characters that end a line or vanish in editors, and halves of surrogate pairs, which no file can hold. */
const INVISIBLE = /(?![\t\n])\p{Cc}|\p{Cs}|[\u2028\u2029\uFEFF]/gu;
const STRUCTURAL_START = /^[#*\-+>[\]|=_~`<]/;

/** A text in one line, for headings. */
export const encodeLine = (text: string): string =>
  encodeEdges(encodeInside(text).replaceAll('\n', String.raw`\n`));

/**
 * A text in as many lines as it has, the further ones after `indent`. Empty lines inside stay empty; the ones
 * at its ends are written as `\e`, since readers trim.
 */
export function encodeBlock(text: string, indent = ''): string {
  if (text === '') return '';
  const lines = text.split('\n').map((line) => encodeEdges(encodeInside(line)));
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return lines
    .map((line, index) =>
      line === '' && (first < 0 || index < first || index > last) ? String.raw`\e` : line,
    )
    .map((line, index) => (index === 0 || line === '' ? line : indent + line))
    .join('\n');
}

/** Texts in one line, separated by commas. */
export const encodeList = (texts: readonly string[]): string =>
  texts.map((text) => encodeLine(text).replaceAll(',', String.raw`\,`) || String.raw`\e`).join(', ');

/** Escapes `*(` and `)*`, which would be read as the notes of a criterion. */
export const guardNotes = (encoded: string): string =>
  encoded.replaceAll('*(', String.raw`*\(`).replaceAll(')*', String.raw`)\*`);

function encodeInside(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\r', String.raw`\r`)
    .replaceAll(INVISIBLE, escapeCode);
}

/** Spaces at either end, and a first character that could begin a heading, a list, a label or a placeholder. */
function encodeEdges(line: string): string {
  return line.replace(/^\s|\s$/gu, escapeSpace).replace(STRUCTURAL_START, String.raw`\$&`);
}
const escapeSpace = (space: string) =>
  space === ' ' ? String.raw`\s` : space === '\t' ? String.raw`\t` : escapeCode(space);
const escapeCode = (character: string) => String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The text that was encoded; a backslash that begins no escape stays as it is. */
export function decodeText(encoded: string): string {
  return encoded.replaceAll(
    /\\(?:u\{([0-9a-f]{1,6})\}|([nrtse])|([!-/:-@[-`{-~]))/gi,
    (escape: string, hex?: string, name?: string, punctuation?: string) => {
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape;
      }
      return punctuation ?? NAMED[name ?? ''] ?? escape;
    },
  );
}

/** Splits at commas that are not escaped. */
export function splitList(encoded: string): string[] {
  const items = [''];
  for (const [part] of encoded.matchAll(/\\.|[^\\,]+|,|\\/gsu)) {
    if (part === ',') items.push('');
    else items.push((items.pop() ?? '') + part);
  }
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** Index of the last `mark` in `encoded` that is not escaped; -1 without one. */
export function lastUnguarded(encoded: string, mark: string): number {
  let found = -1;
  for (let index = 0; index < encoded.length; index++) {
    if (encoded[index] === '\\') index++;
    else if (encoded.startsWith(mark, index)) found = index;
  }
  return found;
}
