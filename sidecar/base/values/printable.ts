/** Makes text of a model, a file or a hub safe to display. Each function is linear in the text. */
import { clip } from './shortening.ts';

/**
 * Matches characters that are invisible or change the place of others: control characters, bidirectional marks, letters without a glyph (by
 * Unicode's properties, plus two blank symbols). The first group matches what is allowed: joiners of emoji and of some scripts, and CRLF.
 * The dashboard has the same pattern (hub/dashboard/page/dom.js).
 */
export const INVISIBLE_CHARACTERS =
  /((?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})|(?<=\p{ExtPict})\ufe0f|(?<=[\p{L}\p{M}])(?<![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d](?=\p{L})|\r\n)|[^\n\t\P{Cc}]|[\p{DI}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800\u{1d159}]/gu;

/**
 * Replaces invisible characters by their codes (`‹U+202E›`), including those of escape sequences, so that a reviewer sees the whole
 * content.
 */
export const toPrintable = (text: string): string =>
  text.replace(
    INVISIBLE_CHARACTERS,
    (mark, allowed?: string) =>
      allowed ?? `‹U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}›`,
  );

/**
 * Matches terminal escape sequences for colours, cursor movements and titles. Built from a text, because escapes are control characters.
 */
export const TERMINAL_ESCAPES = new RegExp(
  String.raw`\x1B(?:\[[0-9;?:]{0,40}[ -/]?[@-~]|\][^\x07\x1B]{0,500}(?:\x07|\x1B\\)?|[@-Z\\^_=>])`,
  'g',
);

/** Returns the text as a terminal would finally show it: without colours, and with overwritten lines in their last state. */
export const toTerminalText = (text: string): string =>
  text.includes(ESCAPE_CHARACTER) || /\r(?!\n)/.test(text)
    ? text.split('\n').map(finalStateOf).join('\n')
    : text;

const ESCAPE_CHARACTER = '\u001b';

function finalStateOf(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  const start = line.slice(0, end).lastIndexOf('\r') + 1;
  return line.slice(start).replaceAll(TERMINAL_ESCAPES, '');
}

/** Replaces invisible characters by their codes, and returns one line of at most `maxChars`. */
export const toPrintableLine = (text: string, maxChars: number): string => clip(toPrintable(text), maxChars);
