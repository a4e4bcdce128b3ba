/**
 * Calls written as Python: `[f(a=1), g(b='x')]`, one call, or one a line. Values are literals; arguments
 * without names are kept in order, for the schema to name.
 */
import { maxCalls, type RawCall } from '../result.ts';
import type { Source } from '../source.ts';
import { bareName, nameEnd, type BodyReader, type Reading } from './format.ts';
import { skipFence } from './json-body.ts';
import { failed, readLiteral, skip, type Cursor } from './python-literal.ts';

/** A list of calls, or calls one after the other. */
export const pythonicBody: BodyReader = ({ source }, at) => {
  const start = skipFence(source, at);
  return source.text[start] === '[' ? readCallList(source, start) : readCallLines(source, start);
};

/** So many calls that no more of them would be run. */
const areTooMany = (calls: readonly RawCall[]): boolean => calls.length > maxCalls;

/** `[f(a=1), g(b='x')]` at `at`, closed or cut off after a whole call; undefined for anything else. */
export function readCallList(source: Source, at: number): Reading | undefined {
  const cursor: Cursor = { source, at: at + 1 };
  const calls: RawCall[] = [];
  for (;;) {
    const next = skip(cursor);
    if (next === ']' || (next === '' && calls.length > 0)) break;
    const call = readCall(cursor);
    if (!call) return undefined;
    calls.push(call);
    if (areTooMany(calls)) return { calls, end: source.text.length };
    const after = skip(cursor);
    if (after === ',') cursor.at += 1;
    else if (after !== ']' && after !== '') return undefined;
  }
  if (calls.length === 0) return undefined;
  return { calls, end: Math.min(cursor.at + 1, source.text.length) };
}

/** Calls one after the other at `at`, with line breaks, commas or semicolons between them. */
export function readCallLines(source: Source, at: number): Reading | undefined {
  const cursor: Cursor = { source, at };
  const calls: RawCall[] = [];
  let end = at;
  for (;;) {
    const call = readCall(cursor);
    if (!call) break;
    calls.push(call);
    if (areTooMany(calls)) return { calls, end: source.text.length };
    end = cursor.at;
    const next = skip(cursor);
    if (next === ';' || next === ',') cursor.at += 1;
  }
  return calls.length > 0 ? { calls, end } : undefined;
}

/** `NAME(k=v, …)` at the cursor, which is left behind it; undefined when it is something else. */
function readCall(cursor: Cursor): RawCall | undefined {
  skip(cursor);
  const { text } = cursor.source;
  const end = nameEnd(text, cursor.at);
  if (end === cursor.at || text[end] !== '(') return undefined;
  // Llama's own tools are written `brave_search.call(query=…)`.
  const name = bareName(text.slice(cursor.at, end)).replace(/\.call$/, '');
  cursor.at = end + 1;
  if (name === 'print') return readPrinted(cursor);
  const entries: [string, unknown][] = [];
  const positional: unknown[] = [];
  while (skip(cursor) !== ')') {
    const key = readKey(cursor);
    const value = readLiteral(cursor);
    if (value === failed) return undefined;
    if (key === undefined) positional.push(value);
    else entries.push([key, value]);
    const next = skip(cursor);
    if (next === ',') cursor.at += 1;
    else if (next !== ')') return undefined;
  }
  cursor.at += 1;
  return { name, arguments: Object.fromEntries(entries), ...(positional.length > 0 && { positional }) };
}

/** Gemma prints what its calls return: `print(default_api.read_file(…))`. */
function readPrinted(cursor: Cursor): RawCall | undefined {
  const call = readCall(cursor);
  if (!call || skip(cursor) !== ')') return undefined;
  cursor.at += 1;
  return call;
}

function readKey(cursor: Cursor): string | undefined {
  const { text } = cursor.source;
  const end = nameEnd(text, cursor.at);
  const equals = cursor.source.skipSpace(end);
  if (end === cursor.at || text[equals] !== '=') return undefined;
  const key = text.slice(cursor.at, end);
  cursor.at = equals + 1;
  return key;
}
