/**
 * Reads Python literals (strings with prefixes and escapes, numbers, lists, tuples, sets, dicts, True, None), as
 * models write them in calls. One pass, at most 64 levels; `failed` marks anything that is not a literal.
 */
import { isSpace, type Source } from '../source.ts';

export const failed = Symbol('not a literal');
export const maxLevels = 64;

/** A reading position in the text, shared by the readers of one call. */
export interface Cursor {
  source: Source;
  at: number;
}

export function skip(cursor: Cursor): string {
  const { text } = cursor.source;
  while (isSpace(text.charCodeAt(cursor.at))) cursor.at += 1;
  return text[cursor.at] ?? '';
}

/** Reads the literal at the cursor and leaves it behind; `failed` when there is none. */
export function readLiteral(cursor: Cursor, level = 0): unknown {
  const char = skip(cursor);
  if (level > maxLevels || !cursor.source.spend(1)) return failed;
  if (char === '[') return readSequence(cursor, ']', level);
  if (char === '(') return readSequence(cursor, ')', level);
  if (char === '{') return readDict(cursor, level);
  if (stringStart(cursor) !== undefined) return readStrings(cursor);
  return readWord(cursor);
}

function readSequence(cursor: Cursor, close: string, level: number): unknown {
  const items: unknown[] = [];
  cursor.at += 1;
  for (;;) {
    if (skip(cursor) === close) break;
    const item = readLiteral(cursor, level + 1);
    if (item === failed) return failed;
    items.push(item);
    const next = skip(cursor);
    if (next === ',') cursor.at += 1;
    else if (next !== close) return failed;
  }
  cursor.at += 1;
  return items;
}

/** A dict, or a set as a list. */
function readDict(cursor: Cursor, level: number): unknown {
  const entries: [string, unknown][] = [];
  const members: unknown[] = [];
  cursor.at += 1;
  while (skip(cursor) !== '}') {
    const key = readLiteral(cursor, level + 1);
    if (key === failed) return failed;
    if (skip(cursor) === ':') {
      cursor.at += 1;
      const value = readLiteral(cursor, level + 1);
      if (value === failed) return failed;
      entries.push([String(key), value]);
    } else members.push(key);
    const next = skip(cursor);
    if (next === ',') cursor.at += 1;
    else if (next !== '}') return failed;
  }
  cursor.at += 1;
  if (members.length > 0) return entries.length > 0 ? failed : members;
  return Object.fromEntries(entries);
}

const words = new Map<string, unknown>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);

function readWord(cursor: Cursor): unknown {
  const { text } = cursor.source;
  let end = cursor.at;
  while (end - cursor.at < 64 && /[\w.+-]/.test(text[end] ?? '')) end += 1;
  const word = text.slice(cursor.at, end);
  if (words.has(word)) {
    cursor.at = end;
    return words.get(word);
  }
  if (!/^[+-]?(0[xob])?[\d._a-f]+(e[+-]?\d+)?$/i.test(word)) return failed;
  const number = Number(word.replaceAll('_', ''));
  if (!Number.isFinite(number)) return failed;
  cursor.at = end;
  return number;
}

/** Length of a string's prefix (`r`, `b`, `f`, `u`) when a string starts here. */
function stringStart({ source, at }: Cursor): number | undefined {
  for (let length = 0; length <= 2; length += 1) {
    const char = source.text[at + length] ?? '';
    if (char === '"' || char === "'") return length;
    if (!'rbfuRBFU'.includes(char) || char === '') return undefined;
  }
  return undefined;
}

/** One string or several side by side, which Python joins. */
function readStrings(cursor: Cursor): unknown {
  let joined = '';
  for (;;) {
    const prefix = stringStart(cursor);
    if (prefix === undefined) return joined;
    const part = readString(cursor, prefix);
    if (part === undefined) return failed;
    joined += part;
    skip(cursor);
  }
}

function readString(cursor: Cursor, prefixLength: number): string | undefined {
  const { text } = cursor.source;
  const raw = text
    .slice(cursor.at, cursor.at + prefixLength)
    .toLowerCase()
    .includes('r');
  const start = cursor.at + prefixLength;
  const single = text[start] ?? '';
  const mark = text.startsWith(single.repeat(3), start) ? single.repeat(3) : single;
  const first = start + mark.length;
  let end = first;
  let escaped = false;
  while (end < text.length && !text.startsWith(mark, end)) {
    if (text[end] === '\\') {
      escaped = true;
      end += 1;
    }
    end += 1;
  }
  if (!cursor.source.spend(end - cursor.at) || end >= text.length) return undefined;
  cursor.at = end + mark.length;
  const inside = text.slice(first, end);
  return escaped && !raw ? unescape(inside) : inside;
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};

function unescape(text: string): string {
  return text.replace(
    /\\([0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S])/g,
    (whole: string, escape: string) => {
      if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
      if (escape.length === 1) return escapes[escape] ?? whole;
      const code = Number.parseInt(escape.slice(1), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
