/**
 * Finds where an edit belongs by what it changes: a small model often has the change right and writes what stands around it
 * from memory. Only a change within one line counts, and only where most of what was written around it stands in one place
 * of the text.
 */
import { sharedEnd, sharedStart } from './long-lines.ts';
import type { Matches, Passage } from './match.ts';
import type { TextDocument } from './text-document.ts';

/** Share of the characters around the change that must stand in the text. */
const LEAST_SHARE = 0.6;
const LEAST_CHARS = 12;
/** Beside the change, on each side that has so many. */
const LEAST_BESIDE = 4;
/** Longer texts are not searched. */
const MAX_CHARS = 1_000_000;

interface Change {
  before: string;
  from: string;
  to: string;
  after: string;
}

/** The one place, or undefined where there is none or more than one. */
export function findByChange(
  document: TextDocument,
  { oldString, newString }: Pick<Passage, 'oldString' | 'newString'>,
): Matches | undefined {
  const lines = changedLine(oldString, newString);
  if (!lines || document.text.length > MAX_CHARS) return undefined;
  const change = changeOf(...lines);
  const places = document.lines.flatMap((line, index) =>
    placesIn(line, change).map((at) => {
      const from = document.startOf(index) + at;
      return { from, to: from + change.from.length };
    }),
  );
  if (places.length !== 1) return undefined;
  return {
    places,
    replacementFor: () => change.to,
    how: 'by what it changes: the rest of old_string differs',
  };
}

/** The only line that differs, before and after. */
function changedLine(oldString: string, newString: string): [string, string] | undefined {
  const before = oldString.replace(/\n$/u, '').split('\n');
  const after = newString.replace(/\n$/u, '').split('\n');
  if (before.length !== after.length) return undefined;
  const changed = before.flatMap((line, index): [string, string][] => {
    const other = after[index] ?? '';
    return line === other ? [] : [[line.trim(), other.trim()]];
  });
  return changed.length === 1 ? changed[0] : undefined;
}

/** The differences, as whole words. */
function changeOf(before: string, after: string): Change {
  let start = sharedStart(before, after);
  let end = sharedEnd(before.slice(start), after.slice(start));
  while (start > 0 && isWord(before[start - 1])) start -= 1;
  while (end > 0 && isWord(before.at(-end))) end -= 1;
  return {
    before: before.slice(0, start),
    from: before.slice(start, before.length - end),
    to: after.slice(start, after.length - end),
    after: before.slice(before.length - end),
  };
}

function placesIn(line: string, change: Change): number[] {
  const places: number[] = [];
  for (let at = line.indexOf(change.from); at >= 0; at = line.indexOf(change.from, at + 1)) {
    if (isThere(line, at, change)) places.push(at);
    if (at === line.length) break;
  }
  return places;
}

function isThere(line: string, at: number, { before, from, after }: Change): boolean {
  const left = sharedEnd(before, line.slice(0, at));
  const right = sharedStart(after, line.slice(at + from.length));
  return (
    left >= Math.min(LEAST_BESIDE, before.length) &&
    right >= Math.min(LEAST_BESIDE, after.length) &&
    left + right >= Math.max(LEAST_CHARS, LEAST_SHARE * (before.length + after.length))
  );
}

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/u.test(char);
