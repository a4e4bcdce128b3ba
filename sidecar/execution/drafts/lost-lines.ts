/**
 * Lines that a change takes away though the task does not ask for it. A small model that writes a function anew forgets a part
 * of it, and checks that say nothing of that part pass; or it writes what is new in place of what stands there, where it is
 * to stand beside it. The same change with the old lines is another one to try. Pure.
 */
import { diffArrays } from 'diff';
import { namesIn } from '../../definitions/index.ts';
import type { PlacedFile } from '../../placing/index.ts';

/** More differences than this make another text, of which no line is missing. */
const MAX_EDITS = 400;
const MAX_LOSSES = 6;
/** Lines with this share of their words in common say the same in other words. */
const ALIKE = 0.5;
/** A statement after which no other one runs. */
const ENDS = /^\s*(?:return|throw|raise|break|continue)\b/u;
const MAX_REPLACED = 4;
const MAX_CLOSING_LINES = 4;
/** Removed and added lines of one place that are compared. */
const MAX_PAIRS = 2_500;
/** Words of a task that may want lines to go. */
const MAY_TAKE_AWAY =
  /\b(?:remov|delet|drop|renam|replac|mov(?:e|ing)\b|rid of|no longer|unused|obsolete|duplicat|extract|split|inline|simplif|refactor|clean|strip)/iu;

/** A statement of the old text. `at`: as many lines of the new text stand before it. */
export interface Loss {
  path: string;
  lines: readonly string[];
  at: number;
}

/** What a change takes away, statement by statement; none where the task may want something to go. */
export function lossesOf(files: readonly PlacedFile[], task: string): Loss[] {
  if (MAY_TAKE_AWAY.test(task)) return [];
  const losses = files.flatMap(lossesIn);
  return losses.length > MAX_LOSSES ? [] : losses;
}

/** The same change with these put back. */
export const withLosses = (files: readonly PlacedFile[], losses: readonly Loss[]): PlacedFile[] =>
  files.map((file) => ({
    ...file,
    after: putBack(
      file.after,
      losses.filter(({ path }) => path === file.path),
    ),
  }));

/** Lines in place of others. `at`: as many lines of the new text stand before them. */
interface Place {
  path: string;
  removed: readonly string[];
  added: readonly string[];
  at: number;
}

function placesOf({ path, before, after }: PlacedFile): Place[] {
  if (before === undefined) return [];
  const changes = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: MAX_EDITS }) ?? [];
  const places: Place[] = [];
  let at = 0;
  for (const [index, { removed, value }] of changes.entries()) {
    const next = changes[index + 1];
    if (removed) places.push({ path, removed: value, added: next?.added ? next.value : [], at });
    else at += value.length;
  }
  return places;
}

function lossesIn(file: PlacedFile): Loss[] {
  const there = new Set(file.after.split('\n').map((line) => line.trim()));
  // What stands elsewhere was moved.
  const isGone = (line: string): boolean => line.trim() !== '' && !there.has(line.trim());
  return placesOf(file).flatMap(({ path, removed, added, at }) =>
    lostIn(removed, added)
      .flatMap((lost) => statementsOf(lost.lines).map((lines) => ({ path, lines, at: at + lost.at })))
      .filter(({ lines }) => lines.some(isGone)),
  );
}

/** Runs of lines that each begin as far left as the first one, and close nothing. */
function statementsOf(lines: readonly string[]): string[][] {
  const margin = /^\s*/u.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const begins = (line: string): boolean =>
    line.search(/\S/u) === margin && !/^\s*(?:[)\]}]|(?:else|elif|except|catch|finally)\b)/u.test(line);
  const statements: string[][] = [];
  for (const line of lines) {
    const last = statements.at(-1);
    if (last && !begins(line)) last.push(line);
    else statements.push([line]);
  }
  return statements;
}

/**
 * The same change with the old lines of one place beside its new ones: before them, and behind them. Lines that close what
 * the old ones open belong to both. Not where the second ones would never run.
 */
export function besideReplaced(files: readonly PlacedFile[]): PlacedFile[][] {
  const places = files.flatMap(placesOf).filter(({ added }) => added.some((line) => line.trim() !== ''));
  if (places.length > MAX_REPLACED) return [];
  return places.flatMap((place) => {
    const [file] = files.filter(({ path }) => path === place.path);
    if (!file) return [];
    const lines = file.after.split('\n');
    const [from, to] = [place.at, place.at + place.added.length];
    const closing = lines.slice(to, to + closingLines(place.removed, lines.slice(to)));
    const old = [...place.removed, ...closing];
    const choices = [
      { first: old, at: from },
      { first: place.added, at: to + closing.length },
    ];
    return choices
      .filter(({ first }) => !ENDS.test(first.find((line) => line.trim() !== '') ?? ''))
      .map(({ at }) => {
        const after = lines.toSpliced(at, 0, ...old).join('\n');
        return files.map((each) => (each === file ? { ...each, after } : each));
      });
  });
}

/** How many of the following lines it takes until all brackets are closed that the given ones open; 0 where that is not near. */
function closingLines(opening: readonly string[], following: readonly string[]): number {
  let open = openBrackets(opening.join('\n'));
  for (const [count, line] of following.slice(0, MAX_CLOSING_LINES).entries()) {
    if (open <= 0) return count;
    open += openBrackets(line);
  }
  return 0;
}

const openBrackets = (text: string): number =>
  (text.match(/[([{]/gu)?.length ?? 0) - (text.match(/[)\]}]/gu)?.length ?? 0);

/**
 * Removed lines that none of the added ones stands for. Where an added line stands for none of the removed ones, what
 * became of them is not known.
 */
function lostIn(removed: readonly string[], added: readonly string[]): Pick<Loss, 'lines' | 'at'>[] {
  if (removed.length * added.length > MAX_PAIRS) return [];
  const keeping = likestPairs(removed, added);
  if (keeping.length < added.filter((line) => !COMMENT.test(line)).length) return [];
  const losses: { lines: string[]; at: number }[] = [];
  for (const [index, line] of removed.entries()) {
    const at = keeping.filter((paired) => paired < index).length;
    if (keeping.includes(index)) continue;
    const last = losses.at(-1);
    if (last?.at === at) last.lines.push(line);
    else losses.push({ lines: [line], at });
  }
  return losses;
}

/** The removed line that each added one stands for, in order, so that they are as like as can be. Shorter where one stands for none. */
function likestPairs(removed: readonly string[], added: readonly string[]): number[] {
  const none: { score: number; pairs: number[] } = { score: 0, pairs: [] };
  // The best choice for the lines so far: one row for each removed line, one column for each added one.
  let row = [none, ...added.map(() => none)];
  for (const [index, line] of removed.entries()) {
    const next = [none];
    for (const [column, other] of added.entries()) {
      const [above = none, left = none, before = none] = [row[column + 1], next[column], row[column]];
      const score = likeness(line, other);
      const paired = score < ALIKE ? none : { score: before.score + score, pairs: [...before.pairs, index] };
      next.push([above, left, paired].reduce((best, each) => (each.score > best.score ? each : best)));
    }
    row = next;
  }
  return row.at(-1)?.pairs ?? [];
}

/** It may say what the answer left out. */
const COMMENT = /^\s*(?:\/\/|#|\/?\*|$)/u;

/** The share of their words that two lines have in common; of lines without words, whether they are the same. */
function likeness(one: string, other: string): number {
  const [words, others] = [new Set(namesIn(one)), new Set(namesIn(other))];
  if (words.size + others.size === 0) return one.trim() === other.trim() ? 1 : 0;
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / Math.max(words.size, others.size, 1);
}

function putBack(text: string, losses: readonly Loss[]): string {
  const lines = text.split('\n');
  for (const loss of losses.toReversed()) lines.splice(loss.at, 0, ...loss.lines);
  return lines.join('\n');
}
