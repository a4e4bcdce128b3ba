/**
 * Finds the places of an update's hunks in the unchanged file: after the previous hunk, or else at the only match in the file, or else with
 * less of the hunk's context. Pure, linear per hunk.
 */
import type { LineChange } from './changed-lines.ts';
import { toLineChanges, listOldLines, type ChunkLine } from './chunk.ts';
import { LineFinder } from './line-finder.ts';
import type { PatchChunk } from './patch-parser.ts';
import { formatSimilarPassage } from './similar-passage.ts';
import type { TextDocument } from './text-document.ts';

export type LocateOutcome = { ok: true; listChanges: LineChange[] } | { ok: false; message: string };

/** Maximum number of places that are examined for a hunk. */
const MAX_PLACES = 50;
const MAX_SHOWN_LINES = 20;

/**
 * Returns the changes of the document's lines in order. If a hunk does not fit, returns its number and the
 * reason.
 */
export function locateChunks(document: TextDocument, chunks: readonly PatchChunk[]): LocateOutcome {
  const locator = new ChunkLocator(document);
  for (const [index, chunk] of chunks.entries()) {
    const problem = locator.locate(chunk);
    if (problem !== undefined)
      return { ok: false, message: `hunk ${index + 1} (line ${chunk.patchLine} of the patch): ${problem}` };
  }
  return { ok: true, listChanges: locator.changes() };
}

class ChunkLocator {
  readonly #document: TextDocument;
  readonly #lines: readonly string[];
  readonly #finder: LineFinder;
  readonly #locatedChanges: LineChange[] = [];
  /** Index of the line after the last change. The next hunk may begin with context lines that the previous hunk ends with. */
  #position = 0;

  constructor(document: TextDocument) {
    this.#document = document;
    this.#lines = document.closedLines;
    this.#finder = new LineFinder(this.#lines);
  }

  changes(): LineChange[] {
    return this.#locatedChanges.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }

  /** Finds the place of a hunk and records its changes. Returns undefined on success, or else the problem. */
  locate(chunk: PatchChunk): string | undefined {
    let header: number | undefined;
    for (const line of chunk.headers) {
      const place = this.#findPlace([line], header === undefined ? this.#position : header + 1);
      if (typeof place !== 'number') return place ?? `the line of "@@ ${line}" was not found`;
      header = place;
    }
    if (chunk.lines.every(({ kind }) => kind === '+'))
      return this.#recordChanges(
        chunk.lines,
        header === undefined || chunk.endOfFile ? this.#lines.length : header + 1,
      );
    let problem: string | undefined;
    for (const lines of yieldBodies(chunk.lines)) {
      const block = listOldLines(lines);
      const end = Math.max(0, this.#lines.length - block.length);
      // Some models repeat the line of the `@@` as the first line of the hunk's body.
      const from = header ?? this.#position;
      const place =
        (chunk.endOfFile ? this.#findForward(block, end) : undefined) ?? this.#findPlace(block, from);
      if (typeof place === 'number') return this.#recordChanges(lines, place);
      problem ??= place;
    }
    return problem ?? this.#locateWithFuzz(chunk);
  }

  /**
   * Finds the place of a hunk without some context lines at its ends, if the rest matches only once. Models often copy these lines
   * incorrectly.
   */
  #locateWithFuzz(chunk: PatchChunk): string | undefined {
    for (const lines of reduceContext(chunk.lines)) {
      const [only, another] = this.#findUnclaimed(listOldLines(lines), 0);
      if (only !== undefined && another === undefined) return this.#recordChanges(lines, only);
    }
    return this.#describeNotFound(listOldLines(chunk.lines));
  }

  #findForward(block: readonly string[], from: number): number | undefined {
    return this.#findUnclaimed(block, from)[0];
  }

  /**
   * Returns the first place of a block at or after `from`, or else its only place in the file. Returns a message if there are several
   * places, and undefined if there is none.
   */
  #findPlace(block: readonly string[], from: number): number | string | undefined {
    const ahead = this.#findForward(block, from);
    if (ahead !== undefined) return ahead;
    const places = this.#findUnclaimed(block, 0);
    return places.length > 1
      ? `these lines come after no earlier hunk and were found in several places, at lines ${places.map((at) => at + 1).join(', ')}; add context or an "@@" line:\n${formatBlock(block)}`
      : places[0];
  }

  /** Finds places of a block in lines that no earlier hunk removes. */
  #findUnclaimed(block: readonly string[], from: number): number[] {
    const accepts = (line: number): boolean =>
      this.#locatedChanges.every(
        ({ start, end }) => start === end || line + block.length <= start || line >= end,
      );
    return this.#finder.find(block, { from, limit: MAX_PLACES, accepts })?.firstLines ?? [];
  }

  #recordChanges(lines: readonly ChunkLine[], start: number): undefined {
    const changes = toLineChanges(lines, start, this.#lines);
    this.#locatedChanges.push(...changes);
    this.#position = changes.at(-1)?.end ?? start + listOldLines(lines).length;
    return undefined;
  }

  #describeNotFound(block: readonly string[]): string {
    const similar = formatSimilarPassage(this.#document, block);
    const hint = similar === undefined ? '' : `\nThe most similar passage is:\n${similar}`;
    return `these lines were not found:\n${formatBlock(block)}${hint}`;
  }
}

/**
 * Yields the lines of a hunk, and then the lines without empty lines at the end, because these may only separate the hunk from the next
 * text.
 */
function* yieldBodies(lines: readonly ChunkLine[]): Generator<readonly ChunkLine[]> {
  let body = lines;
  for (;;) {
    yield body;
    const last = body.at(-1);
    if (!last || last.kind === '+' || last.text.trim() !== '') return;
    body = body.slice(0, -1);
    if (listOldLines(body).length === 0) return;
  }
}

/** Maximum fuzz: number of context lines that may be ignored at each end (as in `patch -F`). */
const MAX_FUZZ_LINES = 3;
/** Minimum length of a line that is distinctive. A shorter line, such as a bracket, matches everywhere. */
const MIN_DISTINCTIVE_CHARS = 4;

/** Yields the lines of a hunk without one to three context lines at each end. Removed lines stay. */
function* reduceContext(lines: readonly ChunkLine[]): Generator<readonly ChunkLine[]> {
  const first = lines.findIndex(({ kind }) => kind !== ' ');
  const last = lines.findLastIndex(({ kind }) => kind !== ' ');
  if (first < 0) return;
  for (let fuzz = 1; fuzz <= MAX_FUZZ_LINES; fuzz += 1) {
    const from = Math.min(fuzz, first);
    const to = Math.max(lines.length - fuzz, last + 1);
    for (const [start, end] of [
      [from, lines.length],
      [0, to],
      [from, to],
    ] as const) {
      const body = lines.slice(start, end);
      const isDistinctive = listOldLines(body).some((line) => line.trim().length >= MIN_DISTINCTIVE_CHARS);
      if (body.length < lines.length && isDistinctive) yield body;
    }
  }
}

function formatBlock(block: readonly string[]): string {
  const lines = block.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line}`);
  return block.length > MAX_SHOWN_LINES ? [...lines, '  …'].join('\n') : lines.join('\n');
}
