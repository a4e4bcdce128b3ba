/**
 * Queues messages of users until a question to the model includes them. A message survives a killed worker when `add` returns. Its
 * delivery is recorded in one commit, so a resumed task adds each message to the same question.
 */
import type { Fact, Journal } from './journal.ts';

/** Stage of the messages in the journal: round n is the n-th message; a `result` records its delivery. */
const STEERING_STAGE = 'steering';
/** Maximum number of waiting messages; further messages are refused. */
const MAX_WAITING_TEXTS = 100;

interface WaitingText {
  number: number;
  text: string;
}

/** Returns the fact that records which messages a question includes. */
const deliveryOf = (stage: string, round: number): Fact => ({ kind: 'input', stage, round });

export class Steering {
  readonly #journal: Journal;
  readonly #waitingTexts: WaitingText[];
  #lastNumber: number;
  readonly #deliveredTexts: string[] = [];

  /** Queues the undelivered messages of an earlier run. */
  constructor(journal: Journal) {
    this.#journal = journal;
    const past = journal.listPastEntries(STEERING_STAGE);
    const taken = new Set(past.filter(({ kind }) => kind === 'result').map(({ round }) => round));
    this.#waitingTexts = past
      .filter(({ kind, round }) => kind === 'input' && !taken.has(round))
      .map(({ round, body }) => ({ number: round, text: String(body) }));
    this.#lastNumber = Math.max(0, ...past.map(({ round }) => round));
  }

  /** Queues a message for the next question; returns false if too many are waiting. Throws `StorageError`. */
  add(text: string): boolean {
    if (this.#waitingTexts.length >= MAX_WAITING_TEXTS) return false;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#journal.recordSoon({ kind: 'input', stage: STEERING_STAGE, round: number, body: text });
    this.#waitingTexts.push({ number, text });
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
  take(stage: string, round: number): string[] {
    const journal = this.#journal;
    const fact = deliveryOf(stage, round);
    const past = journal.recall(fact) as string[] | undefined;
    // The answer to this question is recorded, so messages that wait now belong to a later question.
    const isAnswered = journal.has({ ...fact, kind: 'answer' });
    const fresh = past || isAnswered ? [] : this.#waitingTexts.splice(0);
    const texts = past ?? fresh.map(({ text }) => text);
    const marks = fresh.map(({ number }) => ({
      kind: 'result' as const,
      stage: STEERING_STAGE,
      round: number,
      body: null,
    }));
    if (fresh.length > 0) journal.recordSoon({ ...fact, body: texts }, ...marks);
    this.#deliveredTexts.push(...texts);
    return texts;
  }

  /** Returns whether a question would get messages now. During a replay, new messages wait until the recorded answers are used up. */
  hasTextFor(stage: string, round: number): boolean {
    const { isReplaying } = this.#journal;
    return this.#journal.has(deliveryOf(stage, round)) || (this.#waitingTexts.length > 0 && !isReplaying);
  }
}
