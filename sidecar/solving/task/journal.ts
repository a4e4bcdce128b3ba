/**
 * Records a task's input from outside in a journal: answers of models, messages of users, results of calls with outside effects, reports of
 * checks. Each entry is written before anything follows from it. A resumed task runs again from its start and gets the recorded answers;
 * after the last record it continues live. Start tree, used time and the id of the session are recorded as well, since they depend on the
 * moment.
 */
import type { JournalEntry, TaskJournal } from '../../base/ports.ts';

/** Maximum time for which an entry that no caller waits for stays in memory. It is flushed with the next entry or after this time. */
const FLUSH_WITHIN_MS = 50;

/** Prefix of the stage of a user's answer. */
export const PERSON = 'person ';

/** Key of a recorded fact, which is the same in each run of the task. */
export type Fact = Pick<JournalEntry, 'kind' | 'stage' | 'round'>;

/** The clock of a task. Recalled facts add the time that earlier runs had used. */
interface UsedTime {
  readonly usedMs: number;
  useAtLeast(ms: number): void;
}

interface RecordedFact {
  body: unknown;
  /** Position among all facts of earlier runs; undefined for facts of this run. */
  index?: number;
  usedMs?: number;
}

export class Journal {
  readonly #store: TaskJournal | undefined;
  readonly #time: UsedTime;
  readonly #facts = new Map<string, RecordedFact>();
  readonly #asked = new Map<string, number>();
  /** Positions of the last answer of an earlier run, and of the last recalled answer. */
  #lastIndex = -1;
  #givenIndex = -1;
  /** Position after the last intent of earlier runs. */
  #begun = 0;
  /** Error of a write that no caller waited for. */
  #failure: unknown;
  #later: Promise<unknown> = Promise.resolve();

  /** Reads the store; without a store the record lasts as long as the process. Throws `StorageError`. */
  constructor(time: UsedTime, store?: TaskJournal) {
    this.#time = time;
    this.#store = store;
    for (const entry of store?.recorded ?? []) {
      if (isInput(entry)) this.#facts.set(nameOf(entry), { body: entry.body });
    }
    for (const [index, entry] of (store?.read() ?? []).entries()) {
      this.#facts.set(nameOf(entry), { body: entry.body, index, usedMs: entry.usedMs });
      if (entry.kind === 'answer') this.#lastIndex = index;
      if (entry.kind === 'intent') this.#begun = index + 1;
    }
  }

  /** Whether some answers of an earlier run are not yet recalled. */
  get isReplaying(): boolean {
    return this.#givenIndex < this.#lastIndex;
  }

  /** A number that is unique for each run that recorded a new intent. */
  get begun(): number {
    return this.#begun;
  }

  has(fact: Fact): boolean {
    return this.#facts.has(nameOf(fact));
  }

  /** Returns the recorded body of a fact, and counts the time that the task had used by then. */
  recall(fact: Fact): unknown {
    const recorded = this.#facts.get(nameOf(fact));
    if (recorded?.usedMs !== undefined) this.#time.useAtLeast(recorded.usedMs);
    if (fact.kind === 'answer') this.#givenIndex = Math.max(this.#givenIndex, recorded?.index ?? -1);
    return recorded?.body;
  }

  /** Returns the next fact that is identified by its content; its round counts the earlier requests with the same content. */
  next(kind: Fact['kind'], stage: string): Fact {
    const round = (this.#asked.get(stage) ?? 0) + 1;
    this.#asked.set(stage, round);
    return { kind, stage, round };
  }

  /** Writes facts in one commit that is durable (survives a power cut) on return. Throws `StorageError`. */
  record(...facts: (Fact & { body: unknown })[]): void {
    this.#throwFailure();
    const entries = facts.map((fact) => this.#remember(fact));
    this.#store?.append(entries);
  }

  /** Writes a fact; resolves when it is durable (survives a power cut). Another thread waits for the disk. Rejects with `StorageError`. */
  async recordDurably(fact: Fact, body: unknown): Promise<void> {
    this.#throwFailure();
    const entries = [this.#remember({ ...fact, body })];
    if (this.#store?.appendSoon) await this.#store.appendSoon(entries);
    else this.#store?.append(entries);
  }

  /**
   * Writes a fact that can be produced again if it is lost. It survives a killed worker on return, and a power cut soon after. Throws
   * `StorageError`.
   */
  recordSoon(fact: Fact, body: unknown): void {
    this.#throwFailure();
    const entry = this.#remember({ ...fact, body });
    if (!this.#store?.appendSoon) return this.#store?.append([entry]);
    this.#store.appendSoon([entry], FLUSH_WITHIN_MS).catch((error: unknown) => (this.#failure = error));
  }

  /** Writes a fact when its body is ready; `settled` waits for it. If the body rejects, nothing is written. */
  recordLater(fact: Fact, body: Promise<unknown>): void {
    const written = body.then((made) => this.recordSoon(fact, made));
    this.#later = Promise.all([this.#later, written.catch((error: unknown) => (this.#failure ??= error))]);
  }

  /** Waits for facts whose bodies are not ready, before anything follows from them. */
  async settled(): Promise<void> {
    await this.#later;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #remember(fact: Fact & { body: unknown }): JournalEntry {
    // Answers are requested only once in a run.
    if (fact.kind !== 'answer') this.#facts.set(nameOf(fact), { body: fact.body });
    return { ...fact, call: 0, usedMs: Math.round(this.#time.usedMs) };
  }
}

/** Returns whether an entry is an answer of a model or input of a user: a replay reuses these, and runs calls and checks again. */
const isInput = ({ kind, stage }: JournalEntry): boolean =>
  kind === 'answer' || kind === 'input' || stage.startsWith(PERSON);

const nameOf = ({ kind, stage, round }: Fact): string => `${kind} ${round} ${stage}`;
