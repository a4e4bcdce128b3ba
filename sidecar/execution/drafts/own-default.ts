/**
 * Default values of a Python function that all its calls share (`songs=[]`): each call gets one of its own instead. It takes
 * two places, so that no change of one line mends it. Pure.
 */
import { languageOf } from '../../definitions/index.ts';
import { indentOf } from '../../tools/editing/folding.ts';
import type { SmallChange } from './small-changes.ts';
import type { SourceText } from './suspects.ts';

/** In a longer one the pattern for its values would take too long. */
const MAX_HEAD_CHARS = 300;
const HEAD = /^\s*(?:async\s+)?def\s+\w+\(.*:\s*$/u;
/** Its groups: what stands before the value, the name in it, and the value. */
const SHARED = /((\b[a-z_]\w*)(?:\s*:[^=,()]+)?\s*=\s*)(\[\]|\{\}|(?:set|list|dict)\(\))/gu;

/** One for each function that has such values. Heads of several lines, and very long ones, are left alone. */
export function ownDefaults({ path, text: before }: SourceText): SmallChange[] {
  if (languageOf(path) !== 'python') return [];
  const lines = before.split('\n');
  return lines.flatMap((head, index) => {
    const isHead = head.length <= MAX_HEAD_CHARS && HEAD.test(head);
    const shared = isHead ? [...head.matchAll(SHARED)] : [];
    if (shared.length === 0) return [];
    const first = afterDocstring(lines, index + 1);
    const indent = indentOf(lines[first] ?? '');
    if (indent === '') return [];
    const step = indent.slice(indentOf(head).length);
    const lineEnd = head.endsWith('\r') ? '\r' : '';
    const own = shared.flatMap(([, , name, value]) => [
      `${indent}if ${name} is None:${lineEnd}`,
      `${indent}${step}${name} = ${value}${lineEnd}`,
    ]);
    const changed = head.replaceAll(SHARED, '$1None');
    const after = [
      ...lines.slice(0, index),
      changed,
      ...lines.slice(index + 1, first),
      ...own,
      ...lines.slice(first),
    ];
    const at = { path, line: index + 1, text: head.trimEnd(), above: [] };
    return { at, file: { path, before, after: after.join('\n') } };
  });
}

/** The index of the first line of code of a body that begins at `index`. */
function afterDocstring(lines: readonly string[], index: number): number {
  const [, quotes = '', rest = ''] = /^\s*[rR]?("""|''')(.*)/u.exec(lines[index] ?? '') ?? [];
  if (quotes === '') return index;
  if (rest.includes(quotes)) return index + 1;
  const end = lines.findIndex((line, at) => at > index && line.includes(quotes));
  return end === -1 ? lines.length : end + 1;
}
