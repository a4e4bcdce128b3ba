/**
 * Decodes and encodes the text of files. The bytes alone decide the encoding: UTF-16 with a byte order mark, UTF-8 if valid, otherwise
 * Windows-1252, in which each byte is one character. Unchanged text has unchanged bytes.
 */
import { isUtf8 } from 'node:buffer';

export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';

const SNIFF_BYTES = 8192;
const BYTE_ORDER_MARK = '\uFEFF';
/** The characters of Windows-1252 from 0x80 to 0x9f; the others are those of Latin-1. */
const WINDOWS_1252_UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';
/** Control characters. A text that is not UTF-8 must not contain them. */
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x08\x0e-\x1a\x1c-\x1f]/u;

/** Decodes the bytes of a file; undefined if they are not text. */
export function decodeText(bytes: Buffer): { text: string; encoding: Encoding } | undefined {
  const encoding = detectUtf16(bytes);
  if (encoding !== undefined) {
    const text = swapByteOrder(bytes, encoding).toString('utf16le');
    return text.includes('\0') ? undefined : { text, encoding };
  }
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return undefined;
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), encoding: 'UTF-8' };
  const text = bytes
    .toString('latin1')
    .replaceAll(/[\x80-\x9f]/gu, (character) => WINDOWS_1252_UPPER.charAt(character.charCodeAt(0) - 0x80));
  return CONTROL_CHARACTER.test(text) ? undefined : { text, encoding: 'Windows-1252' };
}

/**
 * Encodes a text like `before`, the bytes that it replaces. If Windows-1252 was only assumed for `before`, the bytes of other characters
 * are unknown. In this case, the result names the characters that `before` does not contain.
 */
export function encodeText(
  text: string,
  before: Buffer = Buffer.alloc(0),
): Buffer | { unknownCharacters: string } {
  const decoded = decodeText(before);
  const encoding = decoded?.encoding ?? 'UTF-8';
  if (encoding === 'UTF-8') return Buffer.from(text, 'utf8');
  if (encoding !== 'Windows-1252')
    return swapByteOrder(
      Buffer.from(text.startsWith(BYTE_ORDER_MARK) ? text : BYTE_ORDER_MARK + text, 'utf16le'),
      encoding,
    );
  const newCharacters = (text.match(/[^\0-\x7f]/gu) ?? []).filter(
    (character) => !decoded?.text.includes(character),
  );
  if (newCharacters.length > 0) return { unknownCharacters: [...new Set(newCharacters)].join('') };
  const bytes = text.replaceAll(/[^\0-\xff]/gu, (character) =>
    String.fromCharCode(0x80 + WINDOWS_1252_UPPER.indexOf(character)),
  );
  return Buffer.from(bytes, 'latin1');
}

function detectUtf16(bytes: Buffer): Encoding | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const mark = bytes.toString('hex', 0, 2);
  return mark === 'fffe' ? 'UTF-16LE' : mark === 'feff' ? 'UTF-16BE' : undefined;
}

/** Swaps UTF-16 from or to the byte order of this machine. */
const swapByteOrder = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === 'UTF-16BE' ? Buffer.from(bytes).swap16() : bytes;
