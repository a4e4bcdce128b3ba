/**
 * Parts of a change: a small model often finds the mistake and spoils something beside it in the same line. The change is
 * taken apart where its words differ, and each piece is a smaller change of its own. Two changes that each help are put
 * together again. Pure.
 */
import { diffArrays } from 'diff';
import type { PlacedFile } from '../../placing/index.ts';

/** A change of more pieces is another text, and no part of it means anything alone. */
const MAX_PIECES = 8;
const MAX_PARTS = 12;
/** Words that may differ. */
const MAX_EDITS = 200;

/** Smaller changes than the given one, likeliest first: single pieces, then all but one. None has the files as they are. */
export function partsOf(files: readonly PlacedFile[]): PlacedFile[][] {
  const known = new Set([keyOf(files), keyOf([])]);
  const parts: PlacedFile[][] = [];
  for (const pieces of [piecesOf(files, 'forwards'), piecesOf(files, 'backwards')]) {
    if (pieces.length < 2 || pieces.length > MAX_PIECES) continue;
    const singles = pieces.map((piece) => [piece]);
    const allButOne =
      pieces.length > 2 ? pieces.map((piece) => pieces.filter((other) => other !== piece)) : [];
    for (const chosen of [...singles, ...allButOne]) {
      const part = withPieces(files, chosen);
      const key = keyOf(part);
      if (known.has(key)) continue;
      known.add(key);
      parts.push(part);
    }
  }
  return parts.slice(0, MAX_PARTS);
}

/** Both changes of the same files in one; undefined where they touch the same words. */
export function together(one: readonly PlacedFile[], other: readonly PlacedFile[]): PlacedFile[] | undefined {
  const pieces = [...piecesOf(one, 'forwards'), ...piecesOf(other, 'forwards')];
  const isNew = [...one, ...other].some(({ before }) => before === undefined);
  if (isNew || pieces.some((piece) => pieces.some((next) => next !== piece && overlap(piece, next))))
    return undefined;
  const paths = new Set(one.map(({ path }) => path));
  return withPieces([...one, ...other.filter(({ path }) => !paths.has(path))], pieces);
}

const overlap = (a: Piece, b: Piece): boolean => a.path === b.path && a.from <= b.to && b.from <= a.to;

const keyOf = (files: readonly PlacedFile[]): string =>
  JSON.stringify(files.map(({ path, after }) => [path, after.replaceAll(/\s/gu, '')]));

/** Words that stand in place of others. Offsets count words. */
interface Piece {
  path: string;
  from: number;
  to: number;
  words: readonly Word[];
}

/** A word or sign, with the white space before it. */
interface Word {
  space: string;
  text: string;
}

type Direction = 'forwards' | 'backwards';

/** Which words of a changed line match is not always clear: both directions are looked at. */
function piecesOf(files: readonly PlacedFile[], direction: Direction): Piece[] {
  return files.flatMap(({ path, before, after }) =>
    before === undefined ? [] : piecesBetween(path, wordsOf(before), wordsOf(after), direction),
  );
}

function piecesBetween(
  path: string,
  before: readonly Word[],
  after: readonly Word[],
  direction: Direction,
): Piece[] {
  const inOrder = <T>(list: readonly T[]): T[] => (direction === 'forwards' ? [...list] : list.toReversed());
  const changes =
    diffArrays(inOrder(before), inOrder(after), {
      comparator: (a, b) => a.text === b.text,
      maxEditLength: MAX_EDITS,
    }) ?? [];
  const pieces: Piece[] = [];
  let at = 0;
  let open: Piece | undefined;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) pieces.push((open = { path, from: at, to: at, words: [] }));
    if (removed) open.to = at += value.length;
    else open.words = inOrder(value);
  }
  if (direction === 'forwards') return pieces;
  return pieces
    .map(({ from, to, words }) => ({ path, from: before.length - to, to: before.length - from, words }))
    .toReversed();
}

function withPieces(files: readonly PlacedFile[], pieces: readonly Piece[]): PlacedFile[] {
  return files.flatMap(({ path, before }) => {
    const own = pieces.filter((piece) => piece.path === path);
    if (before === undefined || own.length === 0) return [];
    const words = wordsOf(before);
    const end = before.slice(before.trimEnd().length);
    own.sort((a, b) => b.from - a.from);
    for (const { from, to, words: instead } of own) words.splice(from, to - from, ...instead);
    return [{ path, before, after: words.map(({ space, text }) => space + text).join('') + end }];
  });
}

const WORD =
  /(\s*)([\p{L}_$][\p{L}\p{N}_$]*|\d[\d._]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[=!]==?|[<>:]=|=>|&&|\|\||\?[?.]|[-+*/%]=|\+\+|--|\*\*|\.{3}|\S)/gu;

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(WORD)].map(([, space = '', word = '']) => ({ space, text: word }));
