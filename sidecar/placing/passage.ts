/** A few lines out of a function that an answer shows by themselves, put where the file has them, be it in other words. */
import { indentOf } from '../tools/editing/folding.ts';
import { reindent } from '../tools/editing/reindent.ts';
import { lineSimilarity } from '../tools/editing/similarity.ts';
import type { CodeBlock } from './code-block.ts';
import { assignedIn, lineFinder, trimmed } from './texts.ts';

const MAX_LINES = 30;
/** Lines are compared each with each. */
const MAX_CHARS = 4_000;
/** How alike a line and what it has become are at least, from 0 to 1. */
const LEAST_SIMILARITY = 0.5;
/** The same for the first and the last line, which say where the passage stands. */
const LEAST_SIMILARITY_AT_ENDS = 0.75;

/** Whether a block may be such lines: nothing in it stands by itself. */
export const mayBePassage = ({ areMembers, items, text }: CodeBlock): boolean =>
  !areMembers &&
  text.split('\n').length <= MAX_LINES &&
  items.every(
    (item) =>
      item.type === 'statement' ||
      item.type === 'comment' ||
      (item.type === 'definition' && !item.definition.hasBody && item.definition.form === 'variable'),
  );

/** The text with the passage in the one place inside of something that it can stand for; undefined where there is none. */
export function withPassage(text: string, passage: string): string | undefined {
  if (passage.length > MAX_CHARS) return undefined;
  const old = text.split('\n');
  const lines = trimmed(passage.split('\n'));
  const find = endFinder(old);
  const found = find(lines[0]);
  const from = found ?? (lines.length === 1 ? assignmentLike(lines[0], old) : undefined);
  if (from === undefined || indentOf(old[from] ?? '') === '') return undefined;
  const to = lines.length === 1 ? from : endOf(lines, old, { from, find });
  if (to === undefined || to < from) return undefined;
  const region = old.slice(from, to + 1);
  if (region.length > MAX_LINES || region.join('\n').length > MAX_CHARS) return undefined;
  if (found !== undefined && !isRewritten(region, lines)) return undefined;
  const written = reindent(lines.join('\n'), lines.slice(0, 1), region.slice(0, 1), old);
  return [...old.slice(0, from), written, ...old.slice(to + 1)].join('\n');
}

type FindEnd = (line: string | undefined) => number | undefined;

/** The first line that reads like the last one and is as deep as it against the first line; brackets alone are no others. */
function endOf(
  lines: readonly string[],
  old: readonly string[],
  { from, find }: { from: number; find: FindEnd },
): number | undefined {
  const last = (lines.at(-1) ?? '').trim();
  const depth = (line: string | undefined, first: string | undefined): number =>
    Math.sign(indentOf(line ?? '').length - indentOf(first ?? '').length);
  const wanted = depth(lines.at(-1), lines[0]);
  const same = old.findIndex(
    (line, at) => at > from && line.trim() === last && depth(line, old[from]) === wanted,
  );
  if (same >= 0) return same;
  return /\w/u.test(last) ? find(lines.at(-1)) : undefined;
}

/** The one line inside of something that gives the same name a value. */
function assignmentLike(line: string | undefined, old: readonly string[]): number | undefined {
  const [name] = assignedIn(line ?? '');
  if (name === undefined) return undefined;
  const found = old.flatMap((each, at) => (assignedIn(each)[0] === name ? [at] : []));
  return found.length === 1 ? found[0] : undefined;
}

/** Finds the one line that reads so, or else the one that nearly does. */
function endFinder(lines: readonly string[]): FindEnd {
  const find = lineFinder(lines);
  return (line = '') => {
    const same = find(line);
    if (same !== undefined || line.trim() === '') return same;
    const alike = lines.flatMap((each, at) =>
      each.length < MAX_CHARS && lineSimilarity(each.trim(), line.trim()) >= LEAST_SIMILARITY_AT_ENDS
        ? [at]
        : [],
    );
    return alike.length === 1 ? alike[0] : undefined;
  };
}

/** Whether all lines of the old text are in the new one in their order, be it in other words; one line stands for one. */
export function isRewritten(old: readonly string[], given: readonly string[]): boolean {
  const lines = given.map((line) => line.trim()).filter(Boolean);
  let next = 0;
  for (const line of old.map((each) => each.trim()).filter(Boolean)) {
    const same = lines.indexOf(line, next);
    const isAlike = (each: string, at: number): boolean =>
      at >= next && lineSimilarity(line, each) >= LEAST_SIMILARITY;
    const found = same >= 0 ? same : lines.findIndex(isAlike);
    if (found < 0) return false;
    next = found + 1;
  }
  return true;
}
