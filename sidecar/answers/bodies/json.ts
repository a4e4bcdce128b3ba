/** Bodies that are JSON: calls as objects or lists, several in a row, in a code fence or not. */
import { markedCalls } from '../shapes.ts';
import type { RawCall } from '../result.ts';
import { matchAt } from '../source.ts';
import { isBracket, readMarkedValue, skipFence, type Body } from './body.ts';

export const jsonBody: Body = ({ source, tools }, at, dialect) => {
  let position = skipFence(source, at);
  const isFenced = position > source.skipSpace(at);
  if (!isBracket(source.text[position])) return undefined;
  const calls: RawCall[] = [];
  let isNameless = false;
  while (isBracket(source.text[position])) {
    const value = readMarkedValue(source, position, dialect);
    if (!value.ok) return { calls, end: calls.length > 0 ? position : value.end, problem: value.reason };
    const found = markedCalls(value.value, tools);
    calls.push(...found.map((call) => ({ ...call, ...value.traces })));
    isNameless ||= found.length === 0 && !isEmptyList(value.value);
    const skipped = matchAt(isFenced ? fencedSeparators : separators, source.text, value.end);
    position = value.end + (skipped?.[0].length ?? 0);
  }
  return { calls, end: position, isNameless };
};

/** What may stand between two values or before the closing mark: stray brackets and a fence's end too. */
const separators = /[\s,;}\]]*/y;
const fencedSeparators = /(?:[\s,;}\]]|```(?!\w))*/y;

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
