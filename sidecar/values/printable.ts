/** Text from a model, a file or a hub, made safe to look at. Each function is linear in the text. */
import { clip } from './shortening.ts';

/**
 * Characters that a reader does not see, or sees elsewhere than they stand: controls, marks that turn the direction of writing, letters
 * without a form; by Unicode's own properties, and two blank symbols that have none. The first group stays: what joins
 * emoji or the letters of scripts that need it, and CRLF. The dashboard has the same pattern (hub/dashboard/page/dom.js).
 */
export const UNSEEN =
  /((?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})|(?<=\p{ExtPict})\ufe0f|(?<=[\p{L}\p{M}])(?<![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d](?=\p{L})|\r\n)|[^\n\t\P{Cc}]|[\p{DI}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800\u{1d159}]/gu;

/** The text with all that is not seen spelled out (`‹U+202E›`), escape sequences too: who approves or takes a text must see what is in it. */
export const printable = (text: string): string =>
  text.replace(
    UNSEEN,
    (mark, stays?: string) =>
      stays ?? `‹U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}›`,
  );

/** Colours, cursor movements and titles of terminals; made from text, since the escapes are control characters. */
export const ESCAPES = new RegExp(
  String.raw`\x1B(?:\[[0-9;?:]{0,40}[ -/]?[@-~]|\][^\x07\x1B]{0,500}(?:\x07|\x1B\\)?|[@-Z\\^_=>])`,
  'g',
);

/** Returns the text that a terminal shows in the end: no colours, and of a line that overwrote itself the last state. */
export const terminalText = (text: string): string =>
  text.includes(ESCAPE) || /\r(?!\n)/.test(text) ? text.split('\n').map(lastState).join('\n') : text;

const ESCAPE = '\u001b';

function lastState(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  const start = line.slice(0, end).lastIndexOf('\r') + 1;
  return line.slice(start).replaceAll(ESCAPES, '');
}

/** `printable` on one line of at most `maxChars`. */
export const printableLine = (text: string, maxChars: number): string => clip(printable(text), maxChars);
