/** Bodies of keys and values that follow the name: `NAME<arg_key>k</arg_key><arg_value>v</arg_value>` (GLM and its relatives). */
import type { Source } from '../source.ts';
import { nameEnd } from '../source.ts';
import type { Body, Dialect } from './body.ts';
import { guessedEnd, textCall, unwrapLines, valueEnd, type Values } from './elements.ts';

const separator = '<tool_sep>';

/** `prefix` stands before `arg_key` and `arg_value` in the tags' names. */
export function pairsBody(family: string, prefix = ''): Body {
  const keyOpen = `<${prefix}arg_key>`;
  return ({ source }, at, dialect) => {
    const start = source.skipSpace(at);
    const afterName = nameEnd(source.text, start);
    if (afterName === start) return undefined;
    const name = source.text.slice(start, afterName);
    const next = source.skipSpace(afterName);
    const isSeparated = source.text.startsWith(separator, next);
    const body = isSeparated ? source.skipSpace(next + separator.length) : next;
    const named = isSeparated ? 'hunyuan' : family;
    if (source.text.startsWith(keyOpen, body)) {
      const values = readPairs(source, body, prefix, dialect);
      if (values.problem !== undefined) return { calls: [], end: values.end, problem: values.problem };
      return { calls: [textCall(name, values)], end: values.end, family: named };
    }
    const isClosed = source.markAt(dialect.close, body) !== undefined;
    if (!isClosed && !(isSeparated && body >= source.text.length)) return undefined;
    return { calls: [{ name, arguments: {} }], end: body, family: named };
  };
}

function readPairs(source: Source, at: number, prefix: string, dialect: Dialect): Values {
  const key = { open: `<${prefix}arg_key>`, close: `</${prefix}arg_key>` };
  const value = { open: `<${prefix}arg_value>`, close: `</${prefix}arg_value>` };
  const marks = { ...value, follow: [key.open, ...dialect.close], sibling: key.open };
  const values: Values = { entries: [], end: at };
  while (source.text.startsWith(key.open, values.end)) {
    const keyStart = values.end + key.open.length;
    const keyEnd = source.find(key.close, keyStart);
    const name = keyEnd === -1 ? '' : source.text.slice(keyStart, keyEnd).trim();
    const after = source.skipSpace(keyEnd + key.close.length);
    const isMarked = source.text.startsWith(value.open, after);
    const start = isMarked ? after + value.open.length : after;
    const end = keyEnd === -1 ? undefined : (isMarked ? valueEnd : guessedEnd)(source, start, marks);
    if (!end) return { ...values, end: source.text.length, problem: `the value of "${name}" is cut off` };
    if (end.isGuessed) values.guessed ??= name;
    const text = source.text.slice(start, end.end);
    values.entries.push([name, isMarked ? unwrapLines(text, 'pair', name) : text.trim()]);
    values.end = source.skipSpace(end.next);
  }
  return values;
}
