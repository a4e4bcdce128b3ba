/**
 * Ends an answer by definition once what it has said so far passes the checks. A small model that has written what changes
 * goes on to copy what stays, a third of the tokens of a first answer that solves its task. What it copies is known: what it
 * is in the middle of is completed from the file, and the answer is tried before it is all there.
 */
import type { EndOfAnswer } from '../../ports.ts';
import { beforeRepetition } from '../../prompt/code-answer.ts';

/** So many lines behind a blank one, as they stand in a file, are a copy: what the model changes stands before them. */
const COPIED_LINES = 3;
const MAX_TRIES = 8;

const FENCE_LINE = /^[^\S\n]*(?:```|~~~).*\n/gmu;
/** What closes a definition may stand as far left as what opens the next one. */
const CLOSES = /^(?:[)\]}]|(?:end|fi|done|esac)\b)/u;

/** Whether an answer solves the task; asked only while `isWanted`. May not reject. */
type Solves = (answer: string, isWanted: () => boolean) => Promise<boolean>;

export class EnoughSaid {
  readonly #sources: readonly (readonly string[])[];
  readonly #solves: Solves;
  #tries = 0;
  #isTrying = false;
  /** Where in the answer the last try began. */
  #triedAt = -1;
  #enough: string | undefined;
  #isOver = false;

  /** `sources`: the texts that the model may copy. */
  constructor(sources: readonly string[], solves: Solves) {
    this.#sources = sources.map((text) => text.split('\n').map((line) => line.trimEnd()));
    this.#solves = solves;
  }

  /** The answer is there: what was not tried yet is not tried any more. */
  stop(): void {
    this.#isOver = true;
  }

  /** What of the answer so far is wanted, once that is known. */
  readonly endOf: EndOfAnswer = (answer) => {
    const end = this.#enough ?? beforeRepetition(answer);
    if (end === undefined && !this.#isTrying && this.#tries < MAX_TRIES) this.#consider(answer);
    return end;
  };

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

/** An answer that has begun to copy in its open code block; `at`: where it did. Undefined where it did not. */
export function wholeSoFar(
  answer: string,
  sources: readonly (readonly string[])[],
): { text: string; at: number } | undefined {
  const fences = [...answer.matchAll(FENCE_LINE)];
  const opening = fences.length % 2 === 0 ? undefined : fences.at(-1);
  if (!opening || !answer.endsWith('\n')) return undefined;
  const end = opening.index + opening[0].length;
  const lines = answer.slice(end).split('\n').slice(0, -1);
  const blank = lines.findLastIndex((line) => line.trim() === '');
  const copied = lines.slice(blank + 1);
  const rest = blank < 0 || copied.length < COPIED_LINES ? undefined : restOf(copied, sources);
  return rest && { text: `${answer}${[...rest, '```', ''].join('\n')}`, at: end + blank };
}

/** How a definition goes on in the one place where its lines so far stand; undefined where there is no such place, or more. */
function restOf(copied: readonly string[], sources: readonly (readonly string[])[]): string[] | undefined {
  const rests = sources.flatMap((lines) =>
    lines.flatMap((_, from) =>
      copied.every((line, index) => line.trimEnd() === lines[from + index])
        ? [untilNext(lines.slice(from + copied.length))]
        : [],
    ),
  );
  return rests.length === 1 ? rests[0] : undefined;
}

/** Lines up to the next definition that is as far left as can be. */
function untilNext(lines: readonly string[]): string[] {
  const next = lines.findIndex((line) => /^\S/u.test(line) && !CLOSES.test(line));
  return lines.slice(0, next < 0 ? undefined : next);
}
