/**
 * Puts a part of a JSON or YAML file into it by its keys, as code is put in by its definitions: values that differ are
 * replaced where they stand, new keys follow the last one beside them, everything else stays as it is, byte for byte.
 */
import { isDeepStrictEqual } from 'node:util';
import { isAlias, isCollection, isMap, isScalar, parseDocument } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { TextEdits } from '../values/text-edits.ts';

interface Sides {
  before: string;
  given: string;
  old: Document;
  part: Document;
  edits: TextEdits;
}

/** Longer data is not read for a part. */
const MAX_CHARS = 400_000;

/** The file with the part's values; undefined where one of them has no certain place, or something would be lost. */
export function withDataPart(before: string, given: string): string | undefined {
  if (before.length + given.length > MAX_CHARS) return undefined;
  try {
    return merged(before, given);
  } catch {
    // Too deep, or aliases without end: no part of such data is put in.
    return undefined;
  }
}

function merged(before: string, given: string): string | undefined {
  const [old, part] = [parseDocument(before), parseDocument(given)];
  if (old.errors.length > 0 || part.errors.length > 0) return undefined;
  const sides: Sides = { before, given, old, part, edits: new TextEdits() };
  if (!isMap(old.contents) || !isMap(part.contents)) return undefined;
  // A part that shares no key with the file is of another one.
  const shares = part.contents.items.some(
    (pair) => pairOf(old.contents as YAMLMap, keyOf(pair)) !== undefined,
  );
  if (!shares || !merge(sides, old.contents, part.contents)) return undefined;
  const after = sides.edits.apply(before);
  return parseDocument(after).errors.length === 0 ? after : undefined;
}

function merge(sides: Sides, old: YAMLMap, part: YAMLMap): boolean {
  const fresh: Pair[] = [];
  for (const pair of part.items) {
    const own = pairOf(old, keyOf(pair));
    if (!own) {
      fresh.push(pair);
    } else if (isMap(own.value) && isMap(pair.value)) {
      if (!merge(sides, own.value, pair.value)) return false;
    } else if (!replace(sides, own.value as Node | null, pair.value as Node | null)) return false;
  }
  return fresh.length === 0 || add(sides, old, fresh);
}

function replace({ before, given, old, part, edits }: Sides, own: Node | null, value: Node | null): boolean {
  if (!own?.range || !value?.range || isAlias(own) || isAlias(value) || own.tag || own.anchor) return false;
  const [was, is] = [own.toJS(old) as unknown, value.toJS(part) as unknown];
  if (isDeepStrictEqual(was, is)) return true;
  // A shorter list may only leave out what goes without saying.
  const isShorter = Array.isArray(was) && (!Array.isArray(is) || is.length < was.length);
  if (isShorter || isMap(own) || (isBlock(value) && !isBlock(own))) return false;
  const [from, to] = own.range;
  if (from === to) return false;
  const text = given.slice(value.range[0], value.range[1]).trimEnd();
  const end = from + before.slice(from, to).trimEnd().length;
  edits.replace(from, end, shifted(text, columnOf(given, value.range[0]), columnOf(before, from)));
  return true;
}

function add({ before, given, edits }: Sides, old: YAMLMap, fresh: readonly Pair[]): boolean {
  const [first, last] = [old.items[0], old.items.at(-1)];
  const [start, end] = [rangeOf(first)?.[0], rangeOf(last)?.[1]];
  if (start === undefined || end === undefined) return false;
  const column = columnOf(before, start);
  const texts = fresh.map((pair) => {
    const range = rangeOf(pair);
    return range && shifted(given.slice(...range).trimEnd(), columnOf(given, range[0]), column);
  });
  if (texts.includes(undefined)) return false;
  const isOnOneLine = old.flow === true && before.lastIndexOf('\n', start) < (old.range?.[0] ?? 0);
  const between = isOnOneLine ? ', ' : `${old.flow === true ? ',' : ''}\n${' '.repeat(column)}`;
  const valueEnd = start + before.slice(start, end).trimEnd().length;
  const lineEnd = before.indexOf('\n', valueEnd);
  // A comment behind the last value stays with it.
  const at = old.flow === true ? valueEnd : lineEnd < 0 ? before.length : lineEnd;
  edits.insert(at, texts.map((text) => between + text).join(''));
  return true;
}

const isBlock = (node: Node): boolean => isCollection(node) && node.flow !== true;

/** Undefined for what no key of data is. */
const keyOf = ({ key }: Pair): unknown => (isScalar(key) ? key.value : undefined);

const pairOf = (map: YAMLMap, key: unknown): Pair | undefined =>
  key === undefined ? undefined : map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);

function rangeOf(pair: Pair | undefined): [number, number] | undefined {
  const [key, value] = [pair?.key as Node | undefined, pair?.value as Node | null | undefined];
  const [from, to] = [key?.range?.[0], value?.range?.[1] ?? key?.range?.[1]];
  return from === undefined || to === undefined ? undefined : [from, to];
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);

/** Lines after the first moved as far as the first one was. */
function shifted(text: string, from: number, to: number): string {
  const [first = '', ...rest] = text.split('\n');
  const moved = rest.map((line) => {
    const indent = line.length - line.trimStart().length;
    return line.trim() === '' ? '' : ' '.repeat(Math.max(0, indent + to - from)) + line.trimStart();
  });
  return [first, ...moved].join('\n');
}
