/**
 * Finds where the chunks of an update go. Each chunk is located in the file as it is, by the
 * ladder: exact, trailing white space ignored, surrounding white space ignored, typographic characters folded too.
 * Forward from the chunk before; failing that, anywhere before where only one place matches. Where the file indents the
 * lines otherwise than the patch does, so does it what is added. Pure, linear per chunk.
 */
import type { LineChange } from './changed-lines.ts';
import {
  exactly,
  indentOf,
  isBlank,
  withoutSurrounding,
  withoutSurroundingOrTypography,
  withoutTrailing,
  type Fold,
} from './folding.ts';
import { LineIndex } from './line-index.ts';
import type { ChunkLine, PatchChunk } from './patch-parser.ts';
import { reindent } from './reindent.ts';
import { similarPassage } from './similar-passage.ts';
import type { TextDocument } from './text-document.ts';

export type Located = { ok: true; changes: LineChange[] } | { ok: false; message: string };

const LADDER: readonly Fold[] = [
  exactly,
  withoutTrailing,
  withoutSurrounding,
  withoutSurroundingOrTypography,
];
/** Places looked at before a chunk counts as ambiguous. */
const MAX_PLACES = 50;
const MAX_SHOWN_LINES = 20;

/** Changes to the document's lines in order, or which chunk does not fit and why. */
export function locateChunks(document: TextDocument, chunks: readonly PatchChunk[]): Located {
  const locator = new ChunkLocator(document);
  for (const [index, chunk] of chunks.entries()) {
    const problem = locator.locate(chunk);
    if (problem !== undefined)
      return { ok: false, message: `hunk ${index + 1} (line ${chunk.patchLine} of the patch): ${problem}` };
  }
  return { ok: true, changes: locator.changes() };
}

class ChunkLocator {
  readonly #document: TextDocument;
  readonly #lines: readonly string[];
  readonly #indexes = new Map<Fold, LineIndex>();
  readonly #claimed: LineChange[] = [];
  /** Where the search for the next chunk begins: after the lines of the one before. */
  #position = 0;
  /** After the last line that the chunk before changed: its trailing context may be the next one's leading one. */
  #changedUntil = 0;

  constructor(document: TextDocument) {
    this.#document = document;
    this.#lines = document.closedLines;
  }

  changes(): LineChange[] {
    return this.#claimed.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }

  /** Undefined when the chunk has its place, else what is wrong. */
  locate(chunk: PatchChunk): string | undefined {
    let from = this.#position;
    let atLeast = this.#changedUntil;
    for (const header of chunk.headers) {
      const place = this.#forward([header], from) ?? this.#onlyBefore([header], from);
      if (typeof place !== 'number') return place ?? `the line of "@@ ${header}" was not found`;
      from = place + 1;
      // Some models repeat the line of the `@@` as the first line of the body.
      atLeast = place;
    }
    if (chunk.lines.every(({ kind }) => kind === '+')) {
      const goesAfterHeader = chunk.headers.length > 0 && !chunk.endOfFile;
      return this.#claim(chunk.lines, goesAfterHeader ? from : this.#lines.length);
    }
    return this.#locateBody(chunk, from, atLeast);
  }

  #locateBody(chunk: PatchChunk, from: number, atLeast: number): string | undefined {
    let problem: string | undefined;
    for (const lines of bodies(chunk.lines)) {
      const block = oldLines(lines);
      const place =
        (chunk.endOfFile ? this.#atEnd(block) : undefined) ??
        this.#forward(block, from) ??
        this.#forward(block, atLeast) ??
        this.#onlyBefore(block, from);
      if (typeof place === 'number') return this.#claim(lines, place);
      problem ??= place;
    }
    return problem ?? this.#locateDrifted(chunk);
  }

  /**
   * Lines around a change that are not as the patch has them any more: without some of them at its beginning and end,
   * where what is left stands in one place.
   */
  #locateDrifted(chunk: PatchChunk): string | undefined {
    for (const lines of withLessContext(chunk.lines)) {
      const block = oldLines(lines);
      for (const fold of LADDER) {
        const places = this.#index(fold)
          .find(block, 0, MAX_PLACES)
          .filter((at) => this.#isFree(at, block.length));
        const [only, another] = places;
        if (another !== undefined) break;
        if (only !== undefined) return this.#claim(lines, only);
      }
    }
    return this.#notFound(oldLines(chunk.lines));
  }

  #atEnd(block: readonly string[]): number | undefined {
    const at = this.#lines.length - block.length;
    return LADDER.some((fold) => this.#index(fold).matchesAt(block, at)) && this.#isFree(at, block.length)
      ? at
      : undefined;
  }

  /** The first place at `from` or later, by the strictest folding that has one. */
  #forward(block: readonly string[], from: number): number | undefined {
    for (const fold of LADDER) {
      const index = this.#index(fold);
      let [place] = index.find(block, from, 1);
      for (let tries = 1; place !== undefined && tries < MAX_PLACES; tries++) {
        if (this.#isFree(place, block.length)) return place;
        [place] = index.find(block, place + 1, 1);
      }
    }
    return undefined;
  }

  /** The one place before `from`, a message when there are several, or undefined. */
  #onlyBefore(block: readonly string[], from: number): number | string | undefined {
    for (const fold of LADDER) {
      const found = this.#index(fold)
        .find(block, 0, MAX_PLACES)
        .filter((at) => at < from && this.#isFree(at, block.length));
      if (found.length > 1)
        return `these lines come after no earlier hunk and were found in several places, at lines ${found.map((at) => at + 1).join(', ')}; add context or an "@@" line:\n${shown(block)}`;
      if (found.length === 1) return found[0];
    }
    return undefined;
  }

  /** Lines that a chunk removes are gone for the others. */
  #isFree(start: number, length: number): boolean {
    return this.#claimed.every(
      (claim) => claim.start === claim.end || start + length <= claim.start || start >= claim.end,
    );
  }

  #index(fold: Fold): LineIndex {
    const known = this.#indexes.get(fold);
    if (known) return known;
    const index = new LineIndex(this.#lines, fold);
    this.#indexes.set(fold, index);
    return index;
  }

  #claim(lines: readonly ChunkLine[], start: number): undefined {
    const changes = changesAt(lines, start).map((change) => this.#indented(change, oldLines(lines), start));
    this.#claimed.push(...changes);
    this.#position = start + oldLines(lines).length;
    this.#changedUntil = changes.at(-1)?.end ?? this.#position;
    return undefined;
  }

  /** The added lines as deep as the file has those that they stand for, or stand beside. */
  #indented(change: LineChange, block: readonly string[], start: number): LineChange {
    const from = change.start - start;
    const to = change.end - start;
    const beside = from === to ? nearestLine(block, from) : undefined;
    const [first, end] = beside === undefined ? [from, to] : [beside, beside + 1];
    const old = block.slice(first, end);
    const own = this.#lines.slice(start + first, start + end);
    const isAsInFile = old.every(
      (line, index) => isBlank(line) || indentOf(line) === indentOf(own[index] ?? ''),
    );
    if (isAsInFile || change.lines.length === 0 || fits(change.lines, own)) return change;
    const around = this.#lines.slice(Math.max(0, start - LINES_AROUND), start + block.length + LINES_AROUND);
    return { ...change, lines: reindent(change.lines.join('\n'), old, own, around).split('\n') };
  }

  #notFound(block: readonly string[]): string {
    const similar = similarPassage(this.#document, block);
    const hint = similar === undefined ? '' : `\nThe most similar passage is:\n${similar}`;
    return `these lines were not found:\n${shown(block)}${hint}`;
  }
}

/** Lines around a place that show how the file is indented. */
const LINES_AROUND = 100;

/** Whether added lines are as deep as those of the file already: only the others were written without their depth. */
function fits(added: readonly string[], own: readonly string[]): boolean {
  const depths = added.filter((line) => !isBlank(line)).map((line) => indentOf(line).length);
  const line = own.find((each) => !isBlank(each));
  return line === undefined || Math.min(...depths) === indentOf(line).length;
}

/** The last line before `at` that is not blank, else the first one behind. */
function nearestLine(block: readonly string[], at: number): number | undefined {
  const before = block.slice(0, at).findLastIndex((line) => !isBlank(line));
  if (before >= 0) return before;
  const after = block.findIndex((line, index) => index >= at && !isBlank(line));
  return after < 0 ? undefined : after;
}

const oldLines = (lines: readonly ChunkLine[]): string[] =>
  lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);

/** The body as it is, then without the empty lines at its end, which may only part it from what follows. */
function* bodies(lines: readonly ChunkLine[]): Generator<readonly ChunkLine[]> {
  let body = lines;
  for (;;) {
    yield body;
    const last = body.at(-1);
    if (!last || last.kind === '+' || last.text.trim() !== '') return;
    body = body.slice(0, -1);
    if (oldLines(body).length === 0) return;
  }
}

/** As many lines of context may be wrong at either end. */
const MAX_DRIFTED_LINES = 3;

/** The body with one, two, three lines of context less at its ends; what is left still says what it replaces. */
function* withLessContext(lines: readonly ChunkLine[]): Generator<readonly ChunkLine[]> {
  const first = lines.findIndex(({ kind }) => kind !== ' ');
  const last = lines.findLastIndex(({ kind }) => kind !== ' ');
  if (first < 0) return;
  for (let less = 1; less <= MAX_DRIFTED_LINES; less += 1) {
    const from = Math.min(less, first);
    const to = Math.max(lines.length - less, last + 1);
    for (const [start, end] of [
      [from, lines.length],
      [0, to],
      [from, to],
    ] as const) {
      const body = lines.slice(start, end);
      const isTelling = oldLines(body).some((line) => line.trim().length >= LEAST_TELLING_CHARS);
      if (body.length < lines.length && isTelling) yield body;
    }
  }
}

/** Shorter lines (a bracket) are found everywhere. */
const LEAST_TELLING_CHARS = 4;

/** The change of the chunk when its old lines begin at `start`; context keeps the file's own text. */
function changesAt(lines: readonly ChunkLine[], start: number): LineChange[] {
  const changes: { start: number; end: number; lines: string[] }[] = [];
  let at = start;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const { kind, text } of lines) {
    if (kind === ' ') {
      open = undefined;
      at++;
      continue;
    }
    if (!open) changes.push((open = { start: at, end: at, lines: [] }));
    if (kind === '-') open.end = ++at;
    else open.lines.push(text);
  }
  return changes;
}

function shown(block: readonly string[]): string {
  const lines = block.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line}`);
  return block.length > MAX_SHOWN_LINES ? [...lines, '  …'].join('\n') : lines.join('\n');
}
