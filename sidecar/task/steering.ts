/**
 * Texts of people to a task, until its loop takes them. With a journal a text is on disk
 * when `add` returns, and that it was taken is written together with the round that it went into: a task that goes on
 * after a crash gets each text exactly once.
 */
import type { JournalEntry, TaskJournal } from '../ports.ts';

/** Where the journal keeps the texts: round n is the n-th that arrived, a `result` says that it was taken. */
export const STEERING_STAGE = 'steering';
/** More texts than this are refused while they wait, oldest kept. */
const MAX_WAITING = 100;

/** Texts for a round, and what has to be written in the same commit. */
export interface Steered {
  texts: string[];
  taken: JournalEntry[];
}

interface Waiting {
  number: number;
  text: string;
}

export class Steering {
  #journal: TaskJournal | undefined;
  #waiting: Waiting[] = [];
  #lastNumber = 0;
  readonly #takenTexts: string[] = [];

  /**
   * Keeps texts in `journal` from now on, and takes up those that an earlier run of the task got and did not take.
   * A second call changes nothing. Throws `StorageError`.
   */
  keepIn(journal: TaskJournal): void {
    if (this.#journal) return;
    this.#journal = journal;
    const entries = journal.read(STEERING_STAGE);
    const taken = new Set(entries.filter(({ kind }) => kind === 'result').map(({ round }) => round));
    const kept = entries
      .filter(({ kind }) => kind === 'input')
      .map(({ round, body }) => ({ number: round, text: String(body) }));
    this.#takenTexts.push(...kept.filter(({ number }) => taken.has(number)).map(({ text }) => text));
    const said = this.#waiting;
    this.#waiting = kept.filter(({ number }) => !taken.has(number));
    this.#lastNumber = Math.max(0, ...entries.map(({ round }) => round));
    for (const { text } of said) this.add(text);
  }

  /** Queues a text for the next round; false when too many wait already. Throws `StorageError`. */
  add(text: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#journal?.append([{ kind: 'input', stage: STEERING_STAGE, round: number, call: 0, body: text }]);
    this.#waiting.push({ number, text });
    return true;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Texts that were taken, those before a resume included. */
  get takenTexts(): readonly string[] {
    return this.#takenTexts;
  }

  /** Takes what waits, in order. */
  take(): Steered {
    const waiting = this.#waiting.splice(0);
    this.#takenTexts.push(...waiting.map(({ text }) => text));
    return {
      texts: waiting.map(({ text }) => text),
      taken: waiting.map(({ number }) => ({
        kind: 'result',
        stage: STEERING_STAGE,
        round: number,
        call: 0,
        body: null,
      })),
    };
  }
}
