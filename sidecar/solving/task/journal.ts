/**
 * Records a task's input from outside in a journal: answers of models, messages of users, results of calls with outside effects, reports of
 * checks. Each entry is written before anything follows from it. A resumed task runs again from its start and gets the recorded input;
 * after the last recorded answer it continues live. Start tree, used time and session id are recorded, too: they depend on the moment.
 */
import { createHash } from 'node:crypto';

/** Maximum time for which an entry that no caller waits for stays in memory. It is flushed with the next entry or after this time. */
const MAX_FLUSH_DELAY_MS = 50;

/** Prefix of the stage of a user's answer. */
export const USER_ANSWER_PREFIX = 'person ';

/** Prefix of the stage of a call with outside effects. */
export const CALL_PREFIX = 'call ';

/**
 * A recorded fact. Its kind, stage and round are unique in the journal:
 * - `answer`, a stage of the work (`run`, `correct-1`, `plan`, `step-3`) and its round: the outcome of a question to the model
 * - `input`, the same stage and round: the messages of users in that question; `steering`, n: the n-th message
 * - `intent`, `call HASH`, n: the n-th outside call with this content is about to be made; `result`: its result and tree
 * - `result` of other stages: `person …` the answer of a user, `check …` a report, `steering` the delivery of message n, `start` the
 *   start tree, `session` the id of the session
 */
export interface JournalEntry {
  kind: 'answer' | 'intent' | 'result' | 'input';
  stage: string;
  round: number;
  body: unknown;
  /** Used wall-clock time of the task at this entry, in whole milliseconds. */
  usedMs?: number;
}

/** Durable store of one journal. Methods throw or reject with `StorageError` only. */
export interface JournalStore {
  /** Input of the session that the task replays. */
  readonly recordedEntries?: readonly JournalEntry[];
  /**
   * Writes entries that survive a killed process on return, and a power cut when the promise resolves. `withinMs`: how long the write to
   * disk may be delayed, so that the next append shares it.
   */
  append(entries: JournalEntry[], withinMs?: number): Promise<void>;
  /** Returns all entries in order of writing. */
  read(): JournalEntry[];
}

/** Key of a recorded fact, which is the same in each run of the task. */
export type Fact = Pick<JournalEntry, 'kind' | 'stage' | 'round'>;

/** An entry with its position among those of earlier runs; undefined for entries of this run and of a replayed session. */
type RecordedFact = JournalEntry & { index?: number };

export class Journal {
  readonly #store: JournalStore | undefined;
  /** The clock of the task. Recalled facts add the time that earlier runs had used. */
  readonly #time;
  readonly #facts = new Map<string, RecordedFact>();
  /** Number of requests so far for each content; `next` numbers facts by it. */
  readonly #requestCounts = new Map<string, number>();
  /** Position of the last answer of an earlier run. */
  #lastIndex = -1;
  /** Position of the last recalled answer. */
  #recalledIndex = -1;
  /** Error of a write that no caller waited for. */
  #failure: unknown;
  #pendingWrites: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Reads the store; without a store the record lasts as long as the process. Throws `StorageError`. */
  constructor(time: { readonly usedMs: number; raiseUsedTime(ms: number): void }, store?: JournalStore) {
    this.#time = time;
    this.#store = store;
    for (const entry of store?.recordedEntries ?? []) this.#facts.set(nameOf(entry), entry);
    for (const [index, entry] of (store?.read() ?? []).entries()) {
      this.#facts.set(nameOf(entry), { ...entry, index });
      if (entry.kind === 'answer') this.#lastIndex = index;
    }
  }

  /** Whether some answers of an earlier run are not yet recalled. */
  get isReplaying(): boolean {
    return this.#recalledIndex < this.#lastIndex;
  }

  /** Returns whether the fact is recorded: by an earlier run or, except for answers, by this one. */
  has(fact: Fact): boolean {
    return this.#facts.has(nameOf(fact));
  }

  /** Returns the recorded body of a fact, and counts the time that the task had used by then. */
  recall(fact: Fact): unknown {
    const recorded = this.#facts.get(nameOf(fact));
    if (recorded?.usedMs !== undefined) this.#time.raiseUsedTime(recorded.usedMs);
    // A question without a recorded answer is asked live. Answers that were recorded after it may not be needed this time.
    if (fact.kind === 'answer')
      this.#recalledIndex = recorded ? Math.max(this.#recalledIndex, recorded.index ?? -1) : this.#lastIndex;
    return recorded?.body;
  }

  /** Returns the entries of earlier runs in a stage. */
  listPastEntries(stage: string): JournalEntry[] {
    return [...this.#facts.values()].filter((fact) => fact.index !== undefined && fact.stage === stage);
  }

  /** Returns the outside calls of earlier runs that began and have no recorded end. */
  listInterruptedCalls(): Fact[] {
    return [...this.#facts.values()].filter(
      ({ kind, stage, round }) =>
        kind === 'intent' && stage.startsWith(CALL_PREFIX) && !this.has({ kind: 'result', stage, round }),
    );
  }

  /** Returns the recorded answers of models and input of users, for a replay of the session: it runs calls and checks again. */
  listReplayInput(): JournalEntry[] {
    return (this.#store?.read() ?? []).filter(
      ({ kind, stage }) => kind === 'answer' || kind === 'input' || stage.startsWith(USER_ANSWER_PREFIX),
    );
  }

  /** Returns the next fact that its content identifies, by a hash; its round counts the requests with the same content. */
  createNextFact(kind: Fact['kind'], prefix: string, content: unknown): Fact {
    const stage = prefix + hashOf(JSON.stringify(content) ?? '');
    const round = (this.#requestCounts.get(stage) ?? 0) + 1;
    this.#requestCounts.set(stage, round);
    return { kind, stage, round };
  }

  /** Writes a fact; resolves when it survives a power cut. Another thread waits for the disk. Rejects with `StorageError`. */
  async recordDurably(fact: Fact, body: unknown): Promise<void> {
    await this.#write([{ ...fact, body }]);
  }

  /** Writes facts in one transaction. They survive a killed worker on return, and a power cut soon after. Throws `StorageError`. */
  recordSoon(...facts: (Fact & { body: unknown })[]): void {
    this.#write(facts, MAX_FLUSH_DELAY_MS)?.catch((error: unknown) => (this.#failure = error));
  }

  /** Writes a fact when its body is ready; `waitUntilSettled` waits for it. If the body rejects, nothing is written. */
  recordLater(fact: Fact, body: Promise<unknown>): void {
    const written = body
      .then((made) => this.recordSoon({ ...fact, body: made }))
      .catch((error: unknown) => (this.#failure ??= error));
    this.#pendingWrites = Promise.all([this.#pendingWrites, written]);
  }

  /** Waits for facts whose bodies are not ready, before anything follows from them. */
  async waitUntilSettled(): Promise<void> {
    await this.#pendingWrites;
  }

  /** Ends all writing, for a task that the next start of the worker resumes. */
  close(): void {
    this.#isClosed = true;
  }

  #write(facts: (Fact & { body: unknown })[], withinMs?: number): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    const usedMs = Math.round(this.#time.usedMs);
    const entries = facts.map((fact) => ({ ...fact, usedMs }));
    // `has` and `recall` find only answers of earlier runs, since a question is asked once in a run.
    for (const entry of entries) if (entry.kind !== 'answer') this.#facts.set(nameOf(entry), entry);
    return this.#isClosed ? undefined : this.#store?.append(entries, withinMs);
  }
}

const nameOf = ({ kind, stage, round }: Fact): string => `${kind} ${round} ${stage}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
