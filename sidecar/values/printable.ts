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

/** `printable` on one line of at most `maxChars`. */
export const printableLine = (text: string, maxChars: number): string => clip(printable(text), maxChars);
