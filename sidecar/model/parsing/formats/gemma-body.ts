/**
 * Gemma's own notation: `call:NAME{k:<|"|>text<|"|>,n:1}`. Keys are bare, strings stand between marks, objects
 * and lists nest (at most 64 levels).
 */
import { parseJson } from '../../../values/json.ts';
import type { RawCall } from '../result.ts';
import { bareName, nameEnd, type BodyReader } from './format.ts';
import { failed, maxLevels, skip, type Cursor } from './python-literal.ts';

const prefix = 'call:';
const maxBareLength = 1000;

/** `stringMark` stands before and after each text. */
export function gemmaBody(stringMark: string): BodyReader {
  const closers = [stringMark];
  return ({ source }, at) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    while (source.text.startsWith(prefix, position)) {
      const start = source.skipSpace(position + prefix.length);
      const end = nameEnd(source.text, colonEnd(source.text, start));
      const open = source.skipSpace(end);
      if (end === start || source.text[open] !== '{') break;
      const cursor: Cursor = { source, at: open };
      const value = readObject(cursor, stringMark, 0);
      if (value === failed) {
        if (calls.length > 0) break;
        return { calls, end: open + 1, problem: 'the arguments of the call are cut off or unreadable' };
      }
      calls.push({ name: bareName(source.text.slice(start, end)), arguments: value });
      position = source.skipSpace(cursor.at);
    }
    return calls.length > 0 ? { calls, end: position, closers } : undefined;
  };
}

/** Past a prefix such as `default_api:` in a name. */
function colonEnd(text: string, at: number): number {
  const end = nameEnd(text, at);
  return end > at && text[end] === ':' ? end + 1 : at;
}

function readObject(cursor: Cursor, stringMark: string, level: number): unknown {
  if (level > maxLevels) return failed;
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  while (skip(cursor) !== '}') {
    const key = readKey(cursor, stringMark);
    // What is no key, or one a second time, stands behind a text that ended too early.
    if (key === undefined || /^$|[,{}[\]]/.test(key) || entries.some(([known]) => known === key))
      return failed;
    const value = readValue(cursor, stringMark, level);
    if (value === failed) return failed;
    entries.push([key, value]);
    const next = skip(cursor);
    if (next === ',') cursor.at += 1;
    else if (next !== '}') return failed;
  }
  cursor.at += 1;
  return Object.fromEntries(entries);
}

function readKey(cursor: Cursor, stringMark: string): string | undefined {
  const { text } = cursor.source;
  const end = cursor.source.find(':', cursor.at);
  if (end === -1 || end - cursor.at > 300) return undefined;
  const key = text.slice(cursor.at, end).trim();
  cursor.at = end + 1;
  return key.replaceAll(stringMark, '').replace(/^["']|["']$/g, '');
}

function readValue(cursor: Cursor, stringMark: string, level: number): unknown {
  const char = skip(cursor);
  const { source } = cursor;
  if (source.text.startsWith(stringMark, cursor.at)) {
    const start = cursor.at + stringMark.length;
    const end = source.find(stringMark, start);
    if (end === -1) return failed;
    cursor.at = end + stringMark.length;
    return source.text.slice(start, end);
  }
  if (char === '{') return readObject(cursor, stringMark, level + 1);
  if (char === '[') return readList(cursor, stringMark, level + 1);
  return readBare(cursor);
}

function readList(cursor: Cursor, stringMark: string, level: number): unknown {
  if (level > maxLevels) return failed;
  const items: unknown[] = [];
  cursor.at += 1;
  while (skip(cursor) !== ']') {
    const value = readValue(cursor, stringMark, level);
    if (value === failed) return failed;
    items.push(value);
    const next = skip(cursor);
    if (next === ',') cursor.at += 1;
    else if (next !== ']') return failed;
  }
  cursor.at += 1;
  return items;
}

/** A number, a word, a text in plain quotes, or bare text up to the next delimiter. */
function readBare(cursor: Cursor): unknown {
  const { text } = cursor.source;
  const start = cursor.at;
  if (text[start] === '"') {
    let end = start + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    if (!cursor.source.spend(end - start)) return failed;
    cursor.at = end + 1;
    return parseJson(text.slice(start, end + 1)) ?? failed;
  }
  const latest = Math.min(text.length, start + maxBareLength);
  while (cursor.at < latest && !',}]{['.includes(text[cursor.at] ?? '')) cursor.at += 1;
  if (cursor.at >= latest || '{['.includes(text[cursor.at] ?? '') || !cursor.source.spend(cursor.at - start))
    return failed;
  const word = text.slice(start, cursor.at).trim();
  if (word === 'None' || word === 'nil') return null;
  const value = parseJson(word.toLowerCase());
  return value === undefined ? word : value;
}
