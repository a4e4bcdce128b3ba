/**
 * Queues messages of users until a question to the model includes them. With a journal, a message is on disk when `add` returns. Its
 * delivery is recorded in one commit, so a resumed task adds each message to the same question.
 */
import type { TaskJournal } from '../../base/ports.ts';
import type { Fact, Journal } from './journal.ts';

/** Stage of the messages in the journal: round n is the n-th message; a `result` records its delivery. */
const STAGE = 'steering';
/** Maximum number of waiting messages; further messages are refused. */
const MAX_WAITING = 100;

interface WaitingText {
  number: number;
  text: string;
}

/** Returns the fact that records which messages a question includes. */
const deliveryOf = (stage: string, round: number): Fact => ({ kind: 'input', stage, round });

export class Steering {
  #store: TaskJournal | undefined;
  #waiting: WaitingText[] = [];
  #lastNumber = 0;
  readonly #deliveredTexts: string[] = [];

  /**
   * Persists messages in `store` from now on, and queues the undelivered messages of an earlier run. A second call changes nothing. Throws
   * `StorageError`.
   */
  persistIn(store: TaskJournal): void {
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

  /** Queues a message for the next question; returns false if too many are waiting. Throws `StorageError`. */
  add(text: string): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#store?.append([{ kind: 'input', stage: STAGE, round: number, call: 0, body: text }]);
    this.#waiting.push({ number, text });
    return true;
  }

  /** Messages that were delivered, in order. */
  get deliveredTexts(): readonly string[] {
    return this.#deliveredTexts;
  }

  /**
   * Removes and returns the messages for a question: the recorded messages if the question was asked in an earlier run, otherwise all
   * waiting messages. Throws `StorageError`.
   */
  take(journal: Journal, stage: string, round: number): string[] {
    const fact = deliveryOf(stage, round);
    const past = journal.recall(fact) as string[] | undefined;
    // The answer to this question is recorded, so messages that wait now belong to a later question.
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
    this.#deliveredTexts.push(...texts);
    return texts;
  }

  /** Returns whether a question would get messages now. During a replay, new messages wait until the recorded answers are used up. */
  hasTextFor(journal: Journal, stage: string, round: number): boolean {
    return journal.has(deliveryOf(stage, round)) || (this.#waiting.length > 0 && !journal.isReplaying);
  }
}
