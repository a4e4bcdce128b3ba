/** A few lines out of a function that an answer shows by themselves, put where the file has them, be it in other words. */
import { indentOf } from '../tools/editing/folding.ts';
import { reindent } from '../tools/editing/reindent.ts';
import { lineSimilarity } from '../tools/editing/similarity.ts';
import type { CodeBlock } from './code-block.ts';
import { lineFinder, trimmed } from './texts.ts';

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
  const [from, to] = [find(lines[0]), find(lines.at(-1))];
  if (from === undefined || to === undefined || to < from || indentOf(old[from] ?? '') === '')
    return undefined;
  const region = old.slice(from, to + 1);
  if (region.length > MAX_LINES || region.join('\n').length > MAX_CHARS) return undefined;
  if (!isRewritten(region, lines)) return undefined;
  const written = reindent(lines.join('\n'), lines.slice(0, 1), region.slice(0, 1), old);
  return [...old.slice(0, from), written, ...old.slice(to + 1)].join('\n');
}

/** Finds the one line that reads so, or else the one that nearly does. */
function endFinder(lines: readonly string[]): (line: string | undefined) => number | undefined {
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

/** Whether all lines of the old text are in the new one, be it in other words. */
export function isRewritten(old: readonly string[], given: readonly string[]): boolean {
  const lines = given.map((line) => line.trim()).filter(Boolean);
  return old.every(
    (line) =>
      line.trim() === '' || lines.some((each) => lineSimilarity(line.trim(), each) >= LEAST_SIMILARITY),
  );
}
