/**
 * Finds the passage that an edit means: exact first, then fall-backs from safe to risky, each
 * tried only when all before it found nothing. A step that finds several places ends the search: none may choose.
 */
import { findByAnchors } from './anchors.ts';
import {
  foldTypography,
  indentOf,
  isBlank,
  withSingleSpaces,
  withoutSurrounding,
  type Fold,
} from './folding.ts';
import { findBlock } from './line-index.ts';
import type { Matches, Passage, Place, View } from './match.ts';
import { ignoringTrailing } from './match-trailing.ts';
import { reindent } from './reindent.ts';
import { findText } from './sequence-search.ts';
import type { TextDocument } from './text-document.ts';

/** The first step's places, or undefined when no step finds any. */
export function matchPassage(document: TextDocument, passage: Passage): Matches | undefined {
  const found = looselyMatched(document, passage);
  if (found) return found;
  const unnumbered = withoutLineNumbers(passage);
  if (!unnumbered) return byAnchors(document, passage);
  const matches = looselyMatched(document, unnumbered) ?? byAnchors(document, unnumbered);
  return noting('without the line numbers', matches);
}

function looselyMatched(document: TextDocument, passage: Passage): Matches | undefined {
  return (
    spacedMatches(document, document, passage) ??
    foldingTypography(document, passage) ??
    undoingEscapes(document, passage)
  );
}

/** Exact, without trailing, without leading white space, with any amount of it within lines. */
function spacedMatches(document: TextDocument, view: View, passage: Passage): Matches | undefined {
  return (
    exactPlaces(view, passage) ??
    ignoringTrailing(document, view, passage) ??
    ignoringLeading(document, view, passage) ??
    ignoringRuns(document, view, passage)
  );
}

function noting(note: string, matches: Matches | undefined): Matches | undefined {
  return matches && { ...matches, how: [note, matches.how].filter(Boolean).join(', ') };
}

function exactPlaces({ text }: View, { oldString, newString, limit }: Passage): Matches | undefined {
  const found = findText(text, oldString, limit);
  if (found.length === 0) return undefined;
  return {
    places: found.map((from) => ({ from, to: from + oldString.length })),
    replacementFor: () => newString,
    how: '',
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

/** Whole lines only: the passage's own indentation says nothing about where in a line it begins. */
function ignoringLeading(document: TextDocument, view: View, passage: Passage): Matches | undefined {
  const spans = blocksUnder(withoutSurrounding, view, passage);
  const how = 'ignoring leading white space; the replacement was re-indented';
  return spans && wholeLineMatches(document, passage, spans, how);
}

/** Lines that the replacement only repeats keep the file's own spacing. */
function ignoringRuns(document: TextDocument, view: View, passage: Passage): Matches | undefined {
  const spans = blocksUnder(withSingleSpaces, view, passage);
  if (!spans) return undefined;
  const how = 'ignoring the amount of white space; the replacement was re-indented';
  const matches = wholeLineMatches(document, passage, spans, how);
  const wanted = wholeLines(passage.oldString).lines.map(withoutSurrounding);
  const replacementFor = (place: Place): string => {
    const start = document.lineAt(place.from);
    const own = new Map(wanted.map((line, index) => [line, (document.lines[start + index] ?? '').trim()]));
    const lines = matches.replacementFor(place).split('\n');
    return lines.map((line) => indentOf(line) + (own.get(line.trim()) ?? line.trimStart())).join('\n');
  };
  return { ...matches, replacementFor };
}

/** Where the passage's whole lines stand under a folding; undefined when nowhere. */
function blocksUnder(fold: Fold, view: View, passage: Passage): { start: number; end: number }[] | undefined {
  const { lines } = wholeLines(passage.oldString);
  if (lines.every(isBlank)) return undefined;
  const found = findBlock(view.lines, lines, fold, passage.limit);
  return found.length === 0 ? undefined : found.map((start) => ({ start, end: start + lines.length }));
}

/** A passage that ends in a line feed ends with a whole line, not with the beginning of an empty one. */
function wholeLines(text: string): { lines: string[]; closed: boolean } {
  const closed = text.endsWith('\n');
  return { lines: (closed ? text.slice(0, -1) : text).split('\n'), closed };
}

function wholeLineMatches(
  document: TextDocument,
  passage: Passage,
  spans: readonly { start: number; end: number }[],
  how: string,
): Matches {
  const { closed } = wholeLines(passage.oldString);
  return {
    how,
    places: spans.map(({ start, end }) => ({
      from: document.startOf(start),
      // The file's last line has no ending that the passage's could stand for.
      to: closed && end < document.lines.length ? document.startOf(end) : document.endOf(end - 1),
    })),
    replacementFor: (place) => indentedReplacement(document, passage, place),
  };
}

/** Lines around a place that show how the file is indented. */
const SURROUNDING_LINES = 50;

function indentedReplacement(document: TextDocument, passage: Passage, place: Place): string {
  const wanted = wholeLines(passage.oldString);
  const replacement = wholeLines(passage.newString);
  const start = document.lineAt(place.from);
  const includesEnding = wanted.closed && place.to < document.text.length;
  const end = document.lineAt(place.to) + (includesEnding ? 0 : 1);
  const found = document.lines.slice(start, end);
  // Where both sides do not go line by line, only their beginnings are known to stand for each other.
  const known = wanted.lines.length === found.length ? found.length : 1;
  const text = reindent(
    replacement.lines.join('\n'),
    wanted.lines.slice(0, known),
    found.slice(0, known),
    document.lines.slice(Math.max(0, start - SURROUNDING_LINES), end + SURROUNDING_LINES),
  );
  const atOpenEnd = wanted.closed && !includesEnding;
  return replacement.closed && !atOpenEnd ? `${text}\n` : text;
}

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  '"': '"',
  "'": "'",
  '`': '`',
  $: '$',
  '\\': '\\',
};

/** For a passage that was escaped once too often; in the replacement only the kinds that the passage used are undone. */
function undoingEscapes(document: TextDocument, passage: Passage): Matches | undefined {
  const { oldString, newString } = passage;
  const kinds = new Set<string>();
  for (const [, kind] of oldString.matchAll(/\\(.)/g)) if (kind && kind in ESCAPES) kinds.add(kind);
  if (kinds.size === 0) return undefined;
  const undo = (text: string): string =>
    text.replace(/\\(.)/g, (whole, kind: string) => (kinds.has(kind) ? (ESCAPES[kind] ?? whole) : whole));
  const undone = { ...passage, oldString: undo(oldString), newString: undo(newString) };
  return noting('after undoing escapes', spacedMatches(document, document, undone));
}

function foldingTypography(document: TextDocument, passage: Passage): Matches | undefined {
  const text = foldTypography(document.text);
  const oldString = foldTypography(passage.oldString);
  if (text === document.text && oldString === passage.oldString) return undefined;
  const view = { text, lines: text.split('\n') };
  const matches = spacedMatches(document, view, { ...passage, oldString });
  return noting('ignoring typographic quotes, dashes and spaces', matches);
}

function byAnchors(document: TextDocument, passage: Passage): Matches | undefined {
  const spans = findByAnchors(document.text, wholeLines(passage.oldString).lines);
  const alike = Math.floor((spans[0]?.similarity ?? 0) * 100);
  if (spans.length === 0) return undefined;
  return wholeLineMatches(document, passage, spans, `by its first and last line (middle ${alike} % alike)`);
}
