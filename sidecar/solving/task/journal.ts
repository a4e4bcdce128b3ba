/**
 * What came to a task from outside: answers of models, words of people, results of calls that reach out, reports of checks.
 * Each is written down before anything follows from it. A task that is resumed runs from its start again, and where it
 * asks for something that is written down it gets that; with the end of the record it is live. Nothing else is recorded.
 */
import type { JournalEntry, TaskJournal } from '../../base/ports.ts';

/** An entry that nothing waits for goes to disk with the next one, or by itself when a model takes longer than this. */
const FLUSH_WITHIN_MS = 50;

/** How the stage of a user's answer begins. */
export const PERSON = 'person ';

/** The question that a fact answers: the same in each run of the task. */
export type Fact = Pick<JournalEntry, 'kind' | 'stage' | 'round'>;

/** The clock of a task, which counts the time of earlier runs as their facts come back. */
interface UsedTime {
  readonly usedMs: number;
  useAtLeast(ms: number): void;
}

interface Recorded {
  body: unknown;
  /** When it was written, among all facts of earlier runs; undefined for those of this run. */
  index?: number;
  usedMs?: number;
}

export class Journal {
  readonly #store: TaskJournal | undefined;
  readonly #time: UsedTime;
  readonly #facts = new Map<string, Recorded>();
  readonly #asked = new Map<string, number>();
  /** The last answer of an earlier run, and the last one that was given back. */
  #lastIndex = -1;
  #givenIndex = -1;
  /** The index after the last intent of earlier runs. */
  #begun = 0;
  /** The disk failed after a write that nothing waited for. */
  #failure: unknown;
  #later: Promise<unknown> = Promise.resolve();

  /** Without a store the record lasts as long as the process. Throws `StorageError`. */
  constructor(time: UsedTime, store?: TaskJournal) {
    this.#time = time;
    this.#store = store;
    for (const entry of store?.recorded ?? []) {
      if (isSaid(entry)) this.#facts.set(nameOf(entry), { body: entry.body });
    }
    for (const [index, entry] of (store?.read() ?? []).entries()) {
      this.#facts.set(nameOf(entry), { body: entry.body, index, usedMs: entry.usedMs });
      if (entry.kind === 'answer') this.#lastIndex = index;
      if (entry.kind === 'intent') this.#begun = index + 1;
    }
  }

  /** Whether answers of an earlier run are still to be given back. */
  get isReplaying(): boolean {
    return this.#givenIndex < this.#lastIndex;
  }

  /** Returns a number that is another one in each run that began something new. */
  get begun(): number {
    return this.#begun;
  }

  has(fact: Fact): boolean {
    return this.#facts.has(nameOf(fact));
  }

  /** Returns what is written down, and counts the time that the task had used by then. */
  recall(fact: Fact): unknown {
    const recorded = this.#facts.get(nameOf(fact));
    if (recorded?.usedMs !== undefined) this.#time.useAtLeast(recorded.usedMs);
    if (fact.kind === 'answer') this.#givenIndex = Math.max(this.#givenIndex, recorded?.index ?? -1);
    return recorded?.body;
  }

  /** Returns the next fact of a kind that is asked for by its content: how often it was asked for tells alike ones apart. */
  next(kind: Fact['kind'], stage: string): Fact {
    const round = (this.#asked.get(stage) ?? 0) + 1;
    this.#asked.set(stage, round);
    return { kind, stage, round };
  }

  /** Writes facts in one commit that survives a power cut when this returns. Throws `StorageError`. */
  record(...facts: (Fact & { body: unknown })[]): void {
    this.#throwFailure();
    const entries = facts.map((fact) => this.#remember(fact));
    this.#store?.append(entries);
  }

  /** Writes a fact; resolves when it survives a power cut, which the disk is waited for in another thread. Rejects with `StorageError`. */
  async recordDurably(fact: Fact, body: unknown): Promise<void> {
    this.#throwFailure();
    const entries = [this.#remember({ ...fact, body })];
    if (this.#store?.appendSoon) await this.#store.appendSoon(entries);
    else this.#store?.append(entries);
  }

  /**
   * Writes a fact that may be asked for again if it is lost: it survives a killed worker when this returns, and a power
   * cut soon after. Throws `StorageError`.
   */
  recordSoon(fact: Fact, body: unknown): void {
    this.#throwFailure();
    const entry = this.#remember({ ...fact, body });
    if (!this.#store?.appendSoon) return this.#store?.append([entry]);
    this.#store.appendSoon([entry], FLUSH_WITHIN_MS).catch((error: unknown) => (this.#failure = error));
  }

  /** Writes a fact whose body is still being made; `settled` waits for it. A body that cannot be made is not written. */
  recordLater(fact: Fact, body: Promise<unknown>): void {
    const written = body.then((made) => this.recordSoon(fact, made));
    this.#later = Promise.all([this.#later, written.catch((error: unknown) => (this.#failure ??= error))]);
  }

  /** Waits for facts that are still being made: before anything follows from them. */
  async settled(): Promise<void> {
    await this.#later;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #remember(fact: Fact & { body: unknown }): JournalEntry {
    // Answers are asked for once in a run.
    if (fact.kind !== 'answer') this.#facts.set(nameOf(fact), { body: fact.body });
    return { ...fact, call: 0, usedMs: Math.round(this.#time.usedMs) };
  }
}

/** Whether an entry holds words of a model or a user: a replay gets these, and makes calls and checks again. */
const isSaid = ({ kind, stage }: JournalEntry): boolean =>
  kind === 'answer' || kind === 'input' || stage.startsWith(PERSON);

const nameOf = ({ kind, stage, round }: Fact): string => `${kind} ${round} ${stage}`;
