/**
 * Texts of users to a task, until a question to its model takes them. With a journal a text is on disk when `add` returns,
 * and which question took it is written in one commit: a task that is resumed gives each text to the same question.
 */
import type { TaskJournal } from '../../base/ports.ts';
import type { Fact, Journal } from './journal.ts';

/** The journal's stage of the texts: round n is the n-th that arrived, a `result` says that it was taken. */
const STAGE = 'steering';
/** More texts than this are refused while they wait, oldest kept. */
const MAX_WAITING = 100;

interface Waiting {
  number: number;
  text: string;
}

/** The fact which texts went into a question. */
const takenBy = (stage: string, round: number): Fact => ({ kind: 'input', stage, round });

export class Steering {
  #store: TaskJournal | undefined;
  #waiting: Waiting[] = [];
  #lastNumber = 0;
  readonly #takenTexts: string[] = [];

  /**
   * Keeps texts in `store` from now on, and takes up those that an earlier run of the task got and no question took.
   * A second call changes nothing. Throws `StorageError`.
   */
  keepIn(store: TaskJournal): void {
    if (this.#store) return;
    this.#store = store;
    const entries = store.read(STAGE);
    const taken = new Set(entries.filter(({ kind }) => kind === 'result').map(({ round }) => round));
    const said = this.#waiting;
    this.#waiting = entries
      .filter(({ kind, round }) => kind === 'input' && !taken.has(round))
      .map(({ round, body }) => ({ number: round, text: String(body) }));
    this.#lastNumber = Math.max(0, ...entries.map(({ round }) => round));
    for (const { text } of said) this.add(text);
  }

  /** Queues a text for the next question; false when too many wait already. Throws `StorageError`. */
  add(text: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#store?.append([{ kind: 'input', stage: STAGE, round: number, call: 0, body: text }]);
    this.#waiting.push({ number, text });
    return true;
  }

  /** Texts that were taken, in order. */
  get takenTexts(): readonly string[] {
    return this.#takenTexts;
  }

  /** Takes the texts that go into a question: in an earlier run those that it took, else all that wait. Throws `StorageError`. */
  take(journal: Journal, stage: string, round: number): string[] {
    const fact = takenBy(stage, round);
    const past = journal.recall(fact) as string[] | undefined;
    // What waits now belongs to a later question than one that is answered.
    const isAnswered = journal.has({ ...fact, kind: 'answer' });
    const fresh = past || isAnswered ? [] : this.#waiting.splice(0);
    const texts = past ?? fresh.map(({ text }) => text);
    const marks = fresh.map(({ number }) => ({
      kind: 'result' as const,
      stage: STAGE,
      round: number,
      body: null,
    }));
    if (fresh.length > 0) journal.record({ ...fact, body: texts }, ...marks);
    this.#takenTexts.push(...texts);
    return texts;
  }

  /** Whether a question, if it is asked now, has something to take: what came after a known answer waits for the end of these. */
  isFor(journal: Journal, stage: string, round: number): boolean {
    return journal.has(takenBy(stage, round)) || (this.#waiting.length > 0 && !journal.isReplaying);
  }
}
