/**
 * Where an answer by definition ends: once it repeats itself, once it copies a file that is to stay as it is, or once what it
 * has said solves the task. A small model that has written what changes goes on to copy what stays, a third of the tokens of
 * a first answer that solves its task. What it copies is known: what it is in the middle of is completed from the file, and
 * the answer is tried before it is all there.
 */
import type { EndOfAnswer } from '../../ports.ts';
import { beforeRepetition, openFence, withoutOpenBlock } from '../../prompt/code-answer.ts';

/** So many lines as they stand in a file are a copy. */
const COPIED_LINES = 3;
/** Shorter ones may stand in any file. */
const MIN_COPIED_CHARS = 40;
const MAX_TRIES = 8;

/** What closes a definition may stand as far left as what opens the next one. */
const CLOSES = /^(?:[)\]}]|(?:end|fi|done|esac)\b)/u;

/** Whether an answer solves the task; asked only while `isWanted`. May not reject. */
type Solves = (answer: string, isWanted: () => boolean) => Promise<boolean>;

export class AnswerEnd {
  readonly #sources: readonly Lines[];
  /** Without blank lines, which models leave out of what they copy. */
  readonly #solid: Record<'sources' | 'kept', readonly Lines[]>;
  readonly #solves: Solves;
  #tries = 0;
  #isTrying = false;
  /** Where in the answer the last try began. */
  #triedAt = -1;
  #enough: string | undefined;
  #isOver = false;

  /** `sources`: texts of files that may be changed; `kept`: of those that stay as they are. */
  constructor({ sources, kept }: Record<'sources' | 'kept', readonly string[]>, solves: Solves) {
    this.#sources = sources.map(linesOf);
    this.#solid = { sources: this.#sources.map(solid), kept: kept.map(linesOf).map(solid) };
    this.#solves = solves;
  }

  /** The answer is there: what was not tried yet is not tried any more. */
  stop(): void {
    this.#isOver = true;
  }

  /** What of the answer so far is wanted, once that is known. */
  readonly endOf: EndOfAnswer = (answer) => {
    const end = this.#enough ?? beforeRepetition(answer) ?? this.#beforeKept(answer);
    if (end === undefined && !this.#isTrying && this.#tries < MAX_TRIES) this.#consider(answer);
    return end;
  };

  /** Before a file that stays as it is is written out, behind code. */
  #beforeKept(answer: string): string | undefined {
    const open = openBlock(answer);
    if (!open?.isLater) return undefined;
    const last = solid(open.lines).slice(-COPIED_LINES);
    if (last.length < COPIED_LINES || last.join('').length < MIN_COPIED_CHARS) return undefined;
    const isIn = (texts: readonly Lines[]): boolean =>
      texts.some((lines) => placesOf(last, lines).length > 0);
    return isIn(this.#solid.kept) && !isIn(this.#solid.sources) ? withoutOpenBlock(answer) : undefined;
  }

  #consider(answer: string): void {
    const found = wholeSoFar(answer, this.#sources);
    if (!found || found.at === this.#triedAt) return;
    this.#triedAt = found.at;
    this.#tries += 1;
    this.#isTrying = true;
    void this.#solves(found.text, () => !this.#isOver).then((solves) => {
      this.#isTrying = false;
      if (solves) this.#enough = found.text;
    });
  }
}

/** Without the white space at their ends. */
type Lines = readonly string[];

const linesOf = (text: string): Lines => text.split('\n').map((line) => line.trimEnd());

const solid = (lines: Lines): Lines => lines.filter((line) => line !== '');

/** The code block that an answer of whole lines is in the middle of; `isLater`: others stand before it. */
function openBlock(answer: string): { lines: Lines; start: number; isLater: boolean } | undefined {
  const fence = openFence(answer);
  if (!fence || !answer.endsWith('\n')) return undefined;
  const start = answer.indexOf('\n', fence.at) + 1;
  return { lines: linesOf(answer.slice(start, -1)), start, isLater: fence.isLater };
}

/** Where in a text these lines stand one after the other: the lines after them. */
const placesOf = (some: Lines, lines: Lines): Lines[] =>
  lines.flatMap((_, from) =>
    some.every((line, index) => line === lines[from + index]) ? [lines.slice(from + some.length)] : [],
  );

/**
 * An answer that has begun to copy a file in its open code block, behind a blank line: what the model changes stands before
 * that. `at`: where it did. Undefined where it did not.
 */
export function wholeSoFar(
  answer: string,
  sources: readonly Lines[],
): { text: string; at: number } | undefined {
  const open = openBlock(answer);
  const blank = open?.lines.lastIndexOf('') ?? -1;
  const copied = open?.lines.slice(blank + 1) ?? [];
  if (!open || blank < 0 || copied.length < COPIED_LINES) return undefined;
  const [rest, ...others] = sources.flatMap((lines) => placesOf(copied, lines));
  if (!rest || others.length > 0) return undefined;
  return { text: `${answer}${[...untilNext(rest), '```', ''].join('\n')}`, at: open.start + blank };
}

/** Lines up to the next definition that is as far left as can be. */
function untilNext(lines: Lines): Lines {
  const next = lines.findIndex((line) => /^\S/u.test(line) && !CLOSES.test(line));
  return lines.slice(0, next < 0 ? undefined : next);
}
