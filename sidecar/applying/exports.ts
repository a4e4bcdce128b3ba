/** What a file exports by a list: `module.exports = { … }`, `export { … }`, `export { … } from`, `__all__ = [ … ]`. */
import type { SourceFile } from '../definitions/index.ts';
import type { TextEdits } from '../values/text-edits.ts';
import type { CodeBlock } from './code-block.ts';
import { insertedInList } from './imports.ts';

interface Sides {
  file: SourceFile;
  /** The file's. */
  text: string;
  block: CodeBlock;
  edits: TextEdits;
}

interface List {
  start: number;
  end: number;
  /** Lists of one kind stand for each other. */
  kind: string;
  entries: string[];
}

/**
 * Brings the lists of a block into the file: in place of the file's where it still names all that is there to export, and
 * else the names that the file's list has not. How many were brought.
 */
export function mergeExports({ file, text, block, edits }: Sides): number {
  const own = listsIn(file, text);
  const there = new Set([...file.definitions, ...block.source.definitions].flatMap(({ names }) => names));
  let merged = 0;
  for (const given of listsIn(block.source, block.text)) {
    const list = own.find(({ kind }) => kind === given.kind);
    if (!list || edits.covers(list.start, list.end)) continue;
    const isLeft = (entry: string): boolean =>
      !given.entries.includes(entry) && (there.has(nameOf(entry)) || !isOwn(list.kind));
    const fresh = given.entries.filter((entry) => !list.entries.includes(entry));
    const old = text.slice(list.start, list.end);
    const after = list.entries.some(isLeft)
      ? insertedInList(old, closingOf(old), fresh)
      : block.text.slice(given.start, given.end);
    if (fresh.length === 0 && list.entries.some(isLeft)) continue;
    if (after !== old) edits.replace(list.start, list.end, after);
    merged += 1;
  }
  return merged;
}

/** What is exported from another file may well be renamed there. */
const isOwn = (kind: string): boolean => !kind.startsWith('from');

const closingOf = (list: string): number =>
  Math.max(...['}', ']', ')'].map((sign) => list.lastIndexOf(sign)));

const nameOf = (entry: string): string => /^['"]?([\w$]+)/u.exec(entry)?.[1] ?? entry;

const LISTS: readonly [kind: string, list: RegExp][] = [
  ['common', /^module\.exports\s*=\s*\{([\s\S]*)\}/u],
  ['from', /^export\s*(?:type\s*)?\{([\s\S]*)\}\s*from\s*['"]([^'"]+)['"]/u],
  ['clause', /^export\s*\{([\s\S]*)\}\s*;?$/u],
  ['all', /^__all__\s*=\s*[[(]([\s\S]*)[\])]/u],
];

function listsIn({ items }: SourceFile, text: string): List[] {
  return items.flatMap((item) => {
    if (item.type === 'definition' || item.type === 'comment') return [];
    const statement = text.slice(item.start, item.end);
    for (const [kind, pattern] of LISTS) {
      const [, list, from = ''] = pattern.exec(statement) ?? [];
      if (list === undefined) continue;
      const entries = list
        .replaceAll(/(?:\/\/|#).*$/gmu, '')
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
      return [{ start: item.start, end: item.end, kind: `${kind} ${from}`.trim(), entries }];
    }
    return [];
  });
}
