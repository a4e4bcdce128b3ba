/**
 * Replaces a passage of a text literally; ambiguous passages are refused. If the exact passage is missing, it
 * is searched for with other typographic characters, as whole lines with other white space, and without stray
 * escapes or line numbers. Pure.
 */
import { chunkOf, toLineChanges } from './chunk.ts';
import { foldTypography, isBlank } from './folding.ts';
import { LineFinder } from './line-finder.ts';
import { findText } from './sequence-search.ts';
import { findNearest, type NearestPassage } from './similar-passage.ts';
import { TextDocument, type Replacement } from './text-document.ts';

export interface TextEdit {
  oldString: string;
  newString: string;
  replaceAll: boolean;
}

export type EditOutcome =
  | { ok: true; text: string; count: number; matchNote: string }
  | { ok: false; message: string; missing?: MissingPassage };

/** Details of an edit whose passage the text does not contain. */
export interface MissingPassage {
  near?: NearestPassage;
}

/** Text to find and its replacement, with plain line feeds. */
interface Passage {
  oldText: string;
  newText: string;
}

/** Place of a passage, from the character `from` up to, but not including, `to`, and the replacements to make in it. */
interface PassageMatch {
  from: number;
  to: number;
  replacements: readonly Replacement[];
}

/** Matches of a passage. `matchNote`: how they were found, as the end of a sentence "matched …"; empty for exact matches. */
interface PassageMatches {
  matches: readonly PassageMatch[];
  matchNote: string;
}

/** Maximum number of places that an error names. */
const MAX_LISTED = 10;
/** Minimum length of a text that is distinctive. A shorter text also occurs in files without the change. */
const MIN_DISTINCTIVE_CHARS = 8;

/** Applies an edit. The result describes the match if it is not exact. The message of a failure contains advice for the model. */
export function editText(original: string, edit: TextEdit): EditOutcome {
  const document = new TextDocument(original);
  const passage = { oldText: toLineFeeds(edit.oldString), newText: toLineFeeds(edit.newString) };
  const match = findPassage(document, passage, edit.replaceAll ? Infinity : MAX_LISTED + 1);
  if (!match) return { ok: false, ...describeMissing(document, passage) };
  if (match.matches.length > 1 && !edit.replaceAll)
    return { ok: false, message: describeAmbiguity(document, match) };
  const matches = dropOverlaps(match.matches);
  const text = document.replace(matches.flatMap(({ replacements }) => replacements));
  if (text === original)
    return {
      ok: false,
      message: 'the file already has this text: old_string and new_string are the same in this file',
    };
  return {
    ok: true,
    text,
    count: matches.length,
    matchNote: match.matchNote && `matched ${match.matchNote}`,
  };
}

const toLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Searches the passage with several methods. Returns the matches of the first method that finds any. */
function findPassage(document: TextDocument, passage: Passage, limit: number): PassageMatches | undefined {
  for (const [reading, note] of listReadings(passage)) {
    const match =
      matchText(document.text, reading, limit) ??
      matchFoldedText(document.text, reading, limit) ??
      matchLines(document, reading, limit);
    if (match) return { ...match, matchNote: [note, match.matchNote].filter(Boolean).join(', ') };
  }
  return undefined;
}

function* listReadings(passage: Passage): Generator<[Passage, note: string]> {
  yield [passage, ''];
  const unescaped = undoEscapes(passage);
  if (unescaped) yield [unescaped, 'after undoing escapes'];
  const unnumbered = removeLineNumbers(passage);
  if (unnumbered) yield [unnumbered, 'without the line numbers'];
}

function matchText(text: string, { oldText, newText }: Passage, limit: number): PassageMatches | undefined {
  const matches = findText(text, oldText, limit).map((from): PassageMatch => {
    const range = { from, to: from + oldText.length };
    return { ...range, replacements: [{ ...range, text: newText }] };
  });
  return matches.length === 0 ? undefined : { matches, matchNote: '' };
}

function matchFoldedText(
  text: string,
  { oldText, newText }: Passage,
  limit: number,
): PassageMatches | undefined {
  const [foldedText, foldedOld] = [foldTypography(text), foldTypography(oldText)];
  if (isBlank(foldedOld) || (foldedText === text && foldedOld === oldText)) return undefined;
  const match = matchText(foldedText, { oldText: foldedOld, newText }, limit);
  return match && { ...match, matchNote: 'ignoring typographic characters' };
}

/** Finds a passage as whole lines. A line feed at the end of the passage means the end of a line. */
function matchLines(
  document: TextDocument,
  { oldText, newText }: Passage,
  limit: number,
): PassageMatches | undefined {
  const isClosed = oldText.endsWith('\n');
  const linesOf = (text: string): string[] => (isClosed ? text.replace(/\n$/, '') : text).split('\n');
  const block = linesOf(oldText);
  if (block.every(isBlank)) return undefined;
  const match = new LineFinder(document.lines).find(block, { limit });
  if (!match) return undefined;
  const chunk = chunkOf(block, isClosed && newText === '' ? [] : linesOf(newText));
  const matches = match.firstLines.map((start) => ({
    from: document.startOf(start),
    to: document.startOf(start + block.length),
    replacements: document.toReplacements(toLineChanges(chunk, start, document.lines)),
  }));
  return { matches, matchNote: match.matchNote };
}

/** Matches a line number as `read_file` shows it. */
const LINE_NUMBER = /^[ \t]*\d+ \|(?: |$)/;

function removeLineNumbers({ oldText, newText }: Passage): Passage | undefined {
  const unnumbered = stripLineNumbers(oldText);
  return unnumbered === undefined
    ? undefined
    : { oldText: unnumbered, newText: stripLineNumbers(newText) ?? newText };
}

/** Removes line numbers. Returns undefined if a line that is not blank has none. */
function stripLineNumbers(text: string): string | undefined {
  const lines = text.split('\n');
  const numbered = lines.filter((line) => !isBlank(line));
  if (numbered.length === 0 || !numbered.every((line) => LINE_NUMBER.test(line))) return undefined;
  return lines.map((line) => line.replace(LINE_NUMBER, '')).join('\n');
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

/**
 * Removes one level of escapes from a passage that was escaped twice. In the replacement, removes only those escapes that the passage has,
 * too.
 */
function undoEscapes({ oldText, newText }: Passage): Passage | undefined {
  const kinds = new Set<string>();
  for (const [, kind] of oldText.matchAll(/\\(.)/g)) if (kind && kind in ESCAPES) kinds.add(kind);
  if (kinds.size === 0) return undefined;
  const unescape = (text: string): string =>
    text.replace(/\\(.)/g, (whole, kind: string) => (kinds.has(kind) ? (ESCAPES[kind] ?? whole) : whole));
  return { oldText: unescape(oldText), newText: unescape(newText) };
}

function describeMissing(
  document: TextDocument,
  { oldText, newText }: Passage,
): { message: string; missing?: MissingPassage } {
  const trimmed = newText.trim();
  const appliedAt = trimmed.length < MIN_DISTINCTIVE_CHARS ? -1 : document.text.indexOf(trimmed);
  if (appliedAt >= 0)
    return {
      message: `old_string was not found, but new_string is there already, at line ${document.lineAt(appliedAt) + 1}. If that is the change you wanted, it is done: continue with the next step.`,
    };
  const near = findNearest(document, oldText.replace(/\n$/, '').split('\n'));
  return { message: 'old_string was not found.', missing: near ? { near } : {} };
}

function describeAmbiguity(document: TextDocument, { matches, matchNote }: PassageMatches): string {
  const lines = matches.slice(0, MAX_LISTED).map(({ from }) => document.lineAt(from) + 1);
  const listed = [...new Set(lines)].join(', ') + (matches.length > MAX_LISTED ? ', …' : '');
  const times = matches.length > MAX_LISTED ? `more than ${MAX_LISTED}` : String(matches.length);
  return `old_string was found ${times} times${matchNote && ` (${matchNote})`}, at lines ${listed}. Give more lines around it so that only one place matches, or set replace_all.`;
}

function dropOverlaps(matches: readonly PassageMatch[]): PassageMatch[] {
  let end = 0;
  return matches.filter(({ from, to }) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}
