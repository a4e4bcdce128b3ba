/**
 * Replaces a passage of a text. Pure. The replacement is literal; a passage that is there more
 * than once is never chosen from.
 */
import type { Matches, Passage, Place } from './match.ts';
import { matchPassage } from './match-passage.ts';
import { findText } from './sequence-search.ts';
import { nearestTo, numberedLines, type Nearest } from './similar-passage.ts';
import { TextDocument, withLineFeeds } from './text-document.ts';

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export type EditOutcome =
  { ok: true; text: string; count: number; how: string } | { ok: false; message: string; missing?: Missing };

/** The passage is not in the text. */
export interface Missing {
  /** The most similar passage. */
  near?: Nearest;
}

/** Places named in an error. */
const MAX_LISTED = 10;

/** `how` says what to know of the place; empty for an exact match. Failure says what the model should do next. */
export function editText(original: string, edit: TextEdit): EditOutcome {
  const outcome = editLines(original, edit);
  const oldString = withLineFeeds(edit.oldString);
  const isElsewhere = !outcome.ok && outcome.missing !== undefined && oldString !== edit.oldString;
  return isElsewhere
    ? editLines(original, { ...edit, oldString, newString: withLineFeeds(edit.newString) })
    : outcome;
}

function editLines(original: string, edit: TextEdit): EditOutcome {
  const document = new TextDocument(original);
  const passage = {
    oldString: edit.oldString.replaceAll('\r\n', '\n'),
    newString: edit.newString.replaceAll('\r\n', '\n'),
    limit: edit.replaceAll ? Infinity : MAX_LISTED + 1,
  };
  const matches = matchPassage(document, passage);
  if (!matches) return { ok: false, ...notFound(document, passage) };
  if (matches.places.length > 1 && !edit.replaceAll)
    return { ok: false, message: foundSeveralTimes(document, matches) };
  const [only] = matches.places;
  if (only && !edit.replaceAll && standsAround(document, only, passage))
    return {
      ok: false,
      message: `new_string is there already, at line ${document.lineAt(only.from) + 1}: this edit was made before. Go on with the next step.`,
    };
  const replacements = withoutOverlaps(matches.places).map((place) => ({
    ...place,
    text: matches.replacementFor(place),
  }));
  const text = document.replace(replacements);
  if (text === original)
    return {
      ok: false,
      message: 'the file has this text already, old_string and new_string differ in nothing it keeps',
    };
  return {
    ok: true,
    text,
    count: replacements.length,
    how: howMatched(matches.how, lineEndingNote(document, edit.oldString)),
  };
}

function howMatched(...notes: readonly string[]): string {
  const matched = notes.filter(Boolean).join(', ');
  return matched && `matched ${matched}`;
}

/** The file keeps its own line endings, whichever the model wrote. */
function lineEndingNote(document: TextDocument, oldString: string): string {
  if (document.lineEnding === '\r') return '';
  if (document.hasCarriageReturns)
    return /(^|[^\r])\n/.test(oldString) ? "with the file's line endings (CRLF)" : '';
  return oldString.includes('\r\n') ? "with the file's line endings (LF)" : '';
}

function notFound(
  document: TextDocument,
  { oldString, newString }: Passage,
): { message: string; missing?: Missing } {
  const done = lineOf(document, newString);
  if (done !== undefined)
    return {
      message: `old_string was not found, but new_string is there already, at line ${done}. If that is the change you wanted, it is made: go on with the next step.`,
    };
  const near = nearestTo(document, oldString.replace(/\n$/, '').split('\n'));
  return { message: 'old_string was not found.', missing: near ? { near } : {} };
}

/** Shorter texts are found in files that nobody changed. */
export const LEAST_TELLING_CHARS = 8;

/** Whether the passage stands in its own replacement already: an insertion that is asked for again. */
function standsAround({ text }: TextDocument, { from }: Place, { oldString, newString }: Passage): boolean {
  const added = newString.replace(oldString, () => '');
  if (added.length === newString.length || added.trim().length < LEAST_TELLING_CHARS) return false;
  return findText(newString, oldString, MAX_LISTED).some((offset) =>
    text.startsWith(newString, from - offset),
  );
}

/** Where a text stands already, from 1: the same edit asked for again. */
function lineOf(document: TextDocument, text: string): number | undefined {
  const wanted = text.trim();
  if (wanted.length < LEAST_TELLING_CHARS) return undefined;
  const at = document.text.indexOf(wanted);
  return at < 0 ? undefined : document.lineAt(at) + 1;
}

function foundSeveralTimes(document: TextDocument, { places, how }: Matches): string {
  const lines = places.slice(0, MAX_LISTED).map(({ from }) => document.lineAt(from) + 1);
  const listed = [...new Set(lines)].join(', ') + (places.length > MAX_LISTED ? ', …' : '');
  const times = places.length > MAX_LISTED ? `more than ${MAX_LISTED}` : String(places.length);
  const shown = places.slice(0, MAX_SHOWN).map((place) => surroundings(document, place));
  return [
    `old_string was found ${times} times${how && ` (${how})`}, at lines ${listed}. Give more lines around it so that only one place matches, or set replace_all.`,
    ...new Set(shown),
  ].join('\n\n');
}

/** Places shown in an error, each with the lines around it that tell them apart. */
const MAX_SHOWN = 3;
const LINES_AROUND = 3;
const MAX_LINES_SHOWN = 12;

function surroundings(document: TextDocument, { from, to }: Place): string {
  const line = document.lineAt(from);
  const start = Math.max(0, line - LINES_AROUND);
  const end = Math.min(document.closedLines.length, document.lineAt(to) + LINES_AROUND + 1);
  const near = { line, column: from - document.startOf(line) };
  return numberedLines(document.lines, start, Math.min(end - start, MAX_LINES_SHOWN), near);
}

function withoutOverlaps(places: readonly Place[]): Place[] {
  let end = 0;
  return places.filter(({ from, to }) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}
