/**
 * Parts of a change: a small model often finds the mistake and spoils something beside it in the same line. The change is
 * taken apart where its words differ, and each piece is a smaller change of its own. Two changes that each help are put
 * together again. Pure.
 */
import { diffArrays } from 'diff';
import { sameChangeKey, type PlacedFile } from '../../placing/index.ts';

/** A change of more pieces is another text, and no part of it means anything alone. */
const MAX_PIECES = 8;
const MAX_PARTS = 12;
/** Words that may differ. */
const MAX_EDITS = 200;

/** Smaller changes than the given one, likeliest first: single pieces, then all but one. None has the files as they are. */
export function partsOf(files: readonly PlacedFile[]): PlacedFile[][] {
  const known = new Set([sameChangeKey(files)]);
  const parts: PlacedFile[][] = [];
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

/** Both changes in one; undefined where they touch the same words, or make the same file. */
export function together(one: readonly PlacedFile[], other: readonly PlacedFile[]): PlacedFile[] | undefined {
  const pieces = [...piecesOf(one, 'forwards'), ...piecesOf(other, 'forwards')];
  const paths = new Set(one.map(({ path }) => path));
  const made = [...one, ...other].filter(({ before }) => before === undefined);
  const isMadeTwice = new Set(made.map(({ path }) => path)).size < made.length;
  if (isMadeTwice || pieces.some((piece) => pieces.some((next) => next !== piece && overlap(piece, next))))
    return undefined;
  const files = [...one, ...other.filter(({ path }) => !paths.has(path))];
  return [...withPieces(files, pieces), ...made];
}

/** One change and, of another that touches the same words, what it does in other files; undefined where that is nothing. */
export function withOtherFiles(
  one: readonly PlacedFile[],
  other: readonly PlacedFile[],
): PlacedFile[] | undefined {
  const paths = new Set(one.map(({ path }) => path));
  const more = other.filter(({ path }) => !paths.has(path));
  return more.length > 0 ? [...one, ...more] : undefined;
}

const overlap = (a: Piece, b: Piece): boolean => a.path === b.path && a.from <= b.to && b.from <= a.to;

/** A text that stands in place of another. Offsets into the file as it is. */
interface Piece {
  path: string;
  from: number;
  to: number;
  text: string;
}

/** A word or sign. `from` is where the white space before it begins, `to` its end: a word begins where the last one ends. */
interface Word {
  text: string;
  from: number;
  to: number;
}

type Direction = 'forwards' | 'backwards';

/** Which words of a changed line match is not always clear: both directions are looked at. */
function piecesOf(files: readonly PlacedFile[], direction: Direction): Piece[] {
  return files.flatMap(({ path, before, after }) =>
    before === undefined ? [] : piecesBetween({ path, before, after }, direction),
  );
}

function piecesBetween({ path, before, after }: Required<PlacedFile>, direction: Direction): Piece[] {
  const inOrder = <T>(list: readonly T[]): T[] => (direction === 'forwards' ? [...list] : list.toReversed());
  const words = wordsOf(before);
  const changes =
    diffArrays(inOrder(words), inOrder(wordsOf(after)), {
      comparator: (a, b) => a.text === b.text,
      maxEditLength: MAX_EDITS,
    }) ?? [];
  /** Where the word with this number begins, or the last one ends. */
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

function withPieces(files: readonly PlacedFile[], pieces: readonly Piece[]): PlacedFile[] {
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
