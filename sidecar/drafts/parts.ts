/**
 * Splits a change into parts: a small model often finds the mistake and spoils something beside it in the same line. Each run of
 * words that differ is a smaller change. Pure.
 */
import { diffArrays } from 'diff';
import type { ChangedFile } from '../applying/index.ts';
import { sameChangeKey } from '../task/changes.ts';

/** A change of more pieces is another text, whose parts mean nothing alone. */
const MAX_PIECES = 8;
const MAX_PARTS = 12;
/** Maximum number of words that differ. */
const MAX_EDITS = 200;

/** Returns smaller changes than the given one, likeliest first: single pieces, then all but one. None equals the unchanged files. */
export function partsOf(files: readonly ChangedFile[]): ChangedFile[][] {
  const known = new Set([sameChangeKey(files)]);
  const parts: ChangedFile[][] = [];
  for (const pieces of [piecesOf(files, 'forwards'), piecesOf(files, 'backwards')]) {
    if (pieces.length < 2 || pieces.length > MAX_PIECES) continue;
    const singles = pieces.map((piece) => [piece]);
    const allButOne =
      pieces.length > 2 ? pieces.map((piece) => pieces.filter((other) => other !== piece)) : [];
    for (const chosen of [...singles, ...allButOne]) {
      const part = withPieces(files, chosen);
      const key = sameChangeKey(part);
      if (known.has(key)) continue;
      known.add(key);
      parts.push(part);
    }
  }
  return parts.slice(0, MAX_PARTS);
}

/** A text that replaces another; offsets into the unchanged file. */
interface Piece {
  path: string;
  from: number;
  to: number;
  text: string;
}

/** A word or sign with the white space before it: a word begins where the last one ends. */
interface Word {
  text: string;
  from: number;
  to: number;
}

type Direction = 'forwards' | 'backwards';

/** Returns the pieces of a change, matched in one direction: the two directions may match other words of a line. */
function piecesOf(files: readonly ChangedFile[], direction: Direction): Piece[] {
  return files.flatMap(({ path, before, after }) =>
    before === undefined || after === undefined ? [] : piecesBetween({ path, before, after }, direction),
  );
}

function piecesBetween(
  { path, before, after }: Record<'path' | 'before' | 'after', string>,
  direction: Direction,
): Piece[] {
  const inOrder = <T>(list: readonly T[]): T[] => (direction === 'forwards' ? [...list] : list.toReversed());
  const words = wordsOf(before);
  const changes =
    diffArrays(inOrder(words), inOrder(wordsOf(after)), {
      comparator: (a, b) => a.text === b.text,
      maxEditLength: MAX_EDITS,
    }) ?? [];
  /** Returns the offset at which the word with this number begins, or the last one ends. */
  const offsetOf = (index: number): number => words[index]?.from ?? words.at(-1)?.to ?? 0;
  const pieces: Piece[] = [];
  let at = direction === 'forwards' ? 0 : words.length;
  let open: Piece | undefined;
  for (const { added, removed, value } of changes) {
    if (!removed && !added) open = undefined;
    else if (!open) pieces.push((open = { path, from: offsetOf(at), to: offsetOf(at), text: '' }));
    if (!added) at += direction === 'forwards' ? value.length : -value.length;
    if (open && removed) open[direction === 'forwards' ? 'to' : 'from'] = offsetOf(at);
    if (open && added) open.text = textOf(after, inOrder(value));
  }
  return inOrder(pieces);
}

const textOf = (text: string, words: readonly Word[]): string =>
  text.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? 0);

function withPieces(files: readonly ChangedFile[], pieces: readonly Piece[]): ChangedFile[] {
  const fromTheEnd = pieces.toSorted((a, b) => b.from - a.from);
  return files.flatMap(({ path, before }) => {
    const own = fromTheEnd.filter((piece) => piece.path === path);
    if (before === undefined || own.length === 0) return [];
    const after = own.reduce(
      (text, piece) => text.slice(0, piece.from) + piece.text + text.slice(piece.to),
      before,
    );
    return [{ path, before, after }];
  });
}

const WORD =
  /(\s*)([\p{L}_$][\p{L}\p{N}_$]*|\d[\d._]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[=!]==?|[<>:]=|=>|&&|\|\||\?[?.]|[-+*/%]=|\+\+|--|\*\*|\.{3}|\S)/gu;

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(WORD)].map(({ index, 0: whole, 2: word = '' }) => ({
    text: word,
    from: index,
    to: index + whole.length,
  }));
