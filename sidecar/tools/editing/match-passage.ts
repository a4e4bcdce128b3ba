/**
 * Finds the passage that an edit means (tools.md, edit_file): exact first, then fall-backs from safe to risky, each
 * tried only when all before it found nothing. A step that finds several places ends the search: none may choose.
 */
import { findByAnchors } from './anchors.ts';
import {
  foldTypography,
  isBlank,
  withoutSurrounding,
  withoutSurroundingOrTypography,
  type Fold,
} from './folding.ts';
import { findText, LineIndex } from './line-index.ts';
import { reindent } from './reindent.ts';
import type { Replacement, TextDocument } from './text-document.ts';

/** What is wanted, with plain line feeds. */
export interface Passage {
  oldString: string;
  newString: string;
  /** A search may stop after this many places. */
  limit: number;
}

/** Every place a step found (overlapping ones included), and how it looked. */
export interface Matches {
  replacements: Replacement[];
  /** Completes "matched …"; empty for an exact match. */
  how: string;
}

type Step = (document: TextDocument, passage: Passage) => Matches | undefined;

/** The first step's places, or undefined when no step finds any. */
export function matchPassage(document: TextDocument, passage: Passage): Matches | undefined {
  const exact = exactPlaces(document, passage);
  if (exact) return exact;
  const unnumbered = withoutLineNumbers(passage);
  const plain = unnumbered ?? passage;
  const note = unnumbered ? 'without the line numbers' : '';
  const steps: Step[] = [exactPlaces, ignoringTrailing, ignoringLeading, undoingEscapes, foldingTypography];
  for (const step of steps) {
    const matches = step(document, plain);
    if (matches) return { ...matches, how: [note, matches.how].filter(Boolean).join(', ') };
  }
  return byAnchors(document, plain);
}

function exactPlaces(document: TextDocument, passage: Passage): Matches | undefined {
  return textPlaces(document.text, passage, '');
}

function textPlaces(
  text: string,
  { oldString, newString, limit }: Passage,
  how: string,
): Matches | undefined {
  const found = findText(text, oldString, limit);
  if (found.length === 0) return undefined;
  return {
    how,
    replacements: found.map((from) => ({ from, to: from + oldString.length, text: newString })),
  };
}

/** As `read_file` shows lines. */
const LINE_NUMBER = /^[ \t]*\d+ \|(?: |$)/;

function withoutLineNumbers(passage: Passage): Passage | undefined {
  const oldString = stripLineNumbers(passage.oldString);
  if (oldString === undefined) return undefined;
  return { ...passage, oldString, newString: stripLineNumbers(passage.newString) ?? passage.newString };
}

/** Undefined unless every line that says anything begins with a number. */
function stripLineNumbers(text: string): string | undefined {
  const lines = text.split('\n');
  const numbered = lines.filter((line) => !isBlank(line));
  if (numbered.length === 0 || !numbered.every((line) => LINE_NUMBER.test(line))) return undefined;
  return lines.map((line) => line.replace(LINE_NUMBER, '')).join('\n');
}

function ignoringTrailing(document: TextDocument, passage: Passage): Matches | undefined {
  return trailingPlaces(document, passage, (line) => line, 'ignoring trailing white space');
}

/** Searches in lines cut at their end, so that a passage may still begin and end within a line. */
function trailingPlaces(
  document: TextDocument,
  { oldString, newString, limit }: Passage,
  fold: Fold,
  how: string,
): Matches | undefined {
  const cut = (line: string): string => fold(line).trimEnd();
  const lines = document.lines.map(cut);
  const wantedLines = oldString.split('\n');
  const wanted = wantedLines.map(cut).join('\n');
  if (isBlank(wanted)) return undefined;
  const lastLine = wantedLines.at(-1) ?? '';
  // Where white space was cut off the passage's own end, that end is a line's end, not the middle of a word.
  const endsLine = lastLine.length !== lastLine.trimEnd().length;
  const text = lines.join('\n');
  const starts = lineStarts(lines);
  const replacements = findText(text, wanted, limit)
    .filter((from) => !endsLine || [undefined, '\n'].includes(text[from + wanted.length]))
    .map((from) => ({
      from: uncut(document, lines, starts, from, false),
      to: uncut(document, lines, starts, from + wanted.length, !wanted.endsWith('\n')),
      text: newString,
    }));
  return replacements.length === 0 ? undefined : { replacements, how };
}

function lineStarts(lines: readonly string[]): Int32Array {
  const starts = new Int32Array(lines.length);
  let at = 0;
  for (const [index, line] of lines.entries()) {
    starts[index] = at;
    at += line.length + 1;
  }
  return starts;
}

/** The offset in the document for one in the cut lines; at the end of a line its trailing white space counts too. */
function uncut(
  document: TextDocument,
  lines: readonly string[],
  starts: Int32Array,
  offset: number,
  toLineEnd: boolean,
): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const column = offset - (starts[low] ?? 0);
  const atEnd = toLineEnd && column === lines[low]?.length;
  return document.startOf(low) + (atEnd ? (document.lines[low] ?? '').length : column);
}

function ignoringLeading(document: TextDocument, passage: Passage): Matches | undefined {
  return wholeLinePlaces(
    document,
    passage,
    withoutSurrounding,
    'ignoring leading white space; the replacement was re-indented',
  );
}

function wholeLinePlaces(
  document: TextDocument,
  passage: Passage,
  fold: Fold,
  how: string,
): Matches | undefined {
  const wanted = wholeLines(passage.oldString);
  if (wanted.lines.every(isBlank)) return undefined;
  const found = new LineIndex(document.lines, fold).find(wanted.lines, 0, passage.limit);
  if (found.length === 0) return undefined;
  return {
    how,
    replacements: found.map((start) => replaceLines(document, start, start + wanted.lines.length, passage)),
  };
}

/** A passage that ends in a line feed ends with whole lines, not with the beginning of an empty one. */
function wholeLines(text: string): { lines: string[]; closed: boolean } {
  const closed = text.endsWith('\n');
  return { lines: (closed ? text.slice(0, -1) : text).split('\n'), closed };
}

/** Lines around a place that show how the file is indented. */
const SURROUNDING_LINES = 50;

/** Lines `start` to `end` of the document become the passage's replacement, indented as they are. */
function replaceLines(document: TextDocument, start: number, end: number, passage: Passage): Replacement {
  const { lines } = document;
  const wanted = wholeLines(passage.oldString);
  const found = lines.slice(start, end);
  // Where both sides do not go line by line, only their beginnings are known to stand for each other.
  const known = wanted.lines.length === found.length ? found.length : 1;
  const surroundings = lines.slice(Math.max(0, start - SURROUNDING_LINES), end + SURROUNDING_LINES);
  const replacement = wholeLines(passage.newString);
  const text = reindent(
    replacement.lines.join('\n'),
    wanted.lines.slice(0, known),
    found.slice(0, known),
    surroundings,
  );
  const from = document.startOf(start);
  const endOfText = document.startOf(end - 1) + (found.at(-1) ?? '').length;
  // The file's last line has no ending that the passage's could stand for.
  if (end >= lines.length) return { from, to: endOfText, text };
  const close = replacement.closed ? '\n' : '';
  return wanted.closed
    ? { from, to: document.startOf(end), text: text + close }
    : { from, to: endOfText, text: text + close };
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', '"': '"', "'": "'", '`': '`', '\\': '\\' };

/** Undoes escapes of a passage that was escaped once too often, in the replacement only of the kinds it used itself. */
function undoingEscapes(document: TextDocument, passage: Passage): Matches | undefined {
  const { oldString, newString } = passage;
  const kinds = new Set<string>();
  for (const [, kind] of oldString.matchAll(/\\(.)/g)) if (kind && kind in ESCAPES) kinds.add(kind);
  if (kinds.size === 0) return undefined;
  const undo = (text: string): string =>
    text.replace(/\\(.)/g, (whole, kind: string) => (kinds.has(kind) ? (ESCAPES[kind] ?? whole) : whole));
  const undone = { ...passage, oldString: undo(oldString), newString: undo(newString) };
  const matches =
    exactPlaces(document, undone) ?? ignoringTrailing(document, undone) ?? ignoringLeading(document, undone);
  return matches && { ...matches, how: ['after undoing escapes', matches.how].filter(Boolean).join(', ') };
}

function foldingTypography(document: TextDocument, passage: Passage): Matches | undefined {
  const how = 'ignoring typographic quotes, dashes and spaces';
  const text = foldTypography(document.text);
  const folded = { ...passage, oldString: foldTypography(passage.oldString) };
  if (text === document.text && folded.oldString === passage.oldString) return undefined;
  return (
    textPlaces(text, folded, how) ??
    trailingPlaces(document, folded, foldTypography, `${how} and trailing white space`) ??
    wholeLinePlaces(
      document,
      passage,
      withoutSurroundingOrTypography,
      `${how} and leading white space; the replacement was re-indented`,
    )
  );
}

function byAnchors(document: TextDocument, passage: Passage): Matches | undefined {
  const wanted = wholeLines(passage.oldString);
  const places = findByAnchors(document.lines, wanted.lines);
  if (places.length === 0) return undefined;
  return {
    how: `by its first and last line (middle ${Math.floor((places[0]?.similarity ?? 0) * 100)} % alike)`,
    replacements: places.map(({ start, end }) => replaceLines(document, start, end, passage)),
  };
}
