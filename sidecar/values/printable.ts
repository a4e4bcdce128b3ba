/** Text from a model, a file or a hub, made safe to look at. Each function is linear in the text. */
import { stripVTControlCharacters } from 'node:util';

/** Marks that turn the order of letters around: who approves a command must see the one that runs. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const spelled = (mark: string): string =>
  `‹U+${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}›`;

/** The joiners of emoji and of scripts that need them stay: they only join. */
const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Text from a model, a file or a hub, safe to show on a terminal: no escape sequences, no control characters but newline
 * and tab, none that are not seen, and those that turn the direction of writing spelled out.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(DIRECTION, spelled).replace(UNSEEN, '');
}

/** `printable` on one line of at most `maxChars`. */
export function printableLine(text: string, maxChars: number): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, Math.max(0, maxChars - 1))}…`;
}

/** The text with all that is not seen spelled out, so that a reader knows that it is there. Line ends may be CRLF. */
export function spelledOut(text: string): string {
  return text.replace(UNSEEN, (mark, at: number) =>
    mark === '\r' && text[at + 1] === '\n' ? mark : spelled(mark),
  );
}
