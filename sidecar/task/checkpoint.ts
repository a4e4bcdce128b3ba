/**
 * A stage of a task as the journal remembers it. The loop runs the same way whether an
 * iteration is new or was journaled before a crash: what the journal has is returned instead of asked for or run
 * again. New facts are on disk before anything follows from them.
 */
import type { ChatReply } from '../model/chat.ts';
import type { ModelUse } from '../model/spent.ts';
import type { JournalEntry, TaskJournal } from '../ports.ts';
import type { ToolMode } from '../prompt/system-prompt.ts';
import type { ToolCallResult } from '../tools/types.ts';
import type { Steered } from './steering.ts';

/** An entry that nobody waits for goes to disk with the next intent, or by itself when a model takes longer than this. */
const FLUSH_WITHIN_MS = 50;

export interface PlannedCall {
  index: number;
  name: string;
  args: unknown;
}

/** An answer with the facts that it does not hold itself, so that the round can be replayed the same way. */
export interface RecordedAnswer {
  reply: ChatReply;
  /** In which the model was asked. */
  mode: ToolMode;
  /** The server took the conversation only after it was shortened beyond the plan. */
  squeezed?: true;
  /** Sums over all tries. */
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  /** Missing in journals of earlier versions. */
  use?: ModelUse;
}

/** Whether a round changed the workspace, and what the workspace was after it. */
export interface RecordedChange {
  changed: boolean;
  fingerprint: string | undefined;
}

/** A call before the crash; `intended` without a `result`: nobody knows whether it ran. */
interface PastCall {
  intended: boolean;
  result?: ToolCallResult;
}

interface PastRound {
  answer?: RecordedAnswer;
  calls: Map<number, PastCall>;
  inputs?: string[];
  change?: RecordedChange;
}

export interface FinishedCall {
  index: number;
  result: ToolCallResult;
}

type KeptResult = Omit<ToolCallResult, 'fullOutput'>;
const wholeAgain = (kept: KeptResult): ToolCallResult => ({ ...kept, fullOutput: kept.output });

export class Checkpoint {
  readonly #journal: TaskJournal | undefined;
  readonly #rounds = new Map<number, PastRound>();
  readonly #waiting: JournalEntry[] = [];
  /** The disk failed after a write that nobody waited for. */
  #failure: unknown;
  readonly stage: string;

  constructor(journal: TaskJournal | undefined, stage: string) {
    this.#journal = journal;
    this.stage = stage;
    for (const entry of journal?.read(stage) ?? []) this.#remember(entry);
  }

  /** True while there are iterations that the loop has not replayed. */
  hasAnswer(round: number): boolean {
    return this.#rounds.get(round)?.answer !== undefined;
  }

  answer(round: number): RecordedAnswer | undefined {
    return this.#rounds.get(round)?.answer;
  }

  /**
   * Writes an answer, with the intent of its first call where that has effects: one commit. Resolves when it may be
   * acted on: an intent survives a power cut then, an answer alone a killed worker, since it can be asked for again.
   */
  async recordAnswer(round: number, answer: RecordedAnswer, intent?: PlannedCall): Promise<void> {
    const entries = [this.#entry('answer', round, 0, answer), ...this.#intent(round, intent)];
    if (intent) await this.#appendSoon(entries, 0);
    else void this.#appendSoon(entries, FLUSH_WITHIN_MS);
  }

  /** The outcome of a call before the crash; undefined for calls of this run. */
  pastCall(round: number, index: number): PastCall | undefined {
    return this.#rounds.get(round)?.calls.get(index);
  }

  /**
   * Writes what has finished and what is about to start: one commit. An intent survives a power cut when this returns;
   * results alone a killed worker, and a power cut soon after: one that comes first leaves their outcome unknown.
   */
  recordStep(round: number, finished: readonly FinishedCall[], intent?: PlannedCall): void {
    const entries = [...this.#results(round, finished), ...this.#intent(round, intent)];
    if (intent) this.#append(entries);
    else void this.#appendSoon(entries, FLUSH_WITHIN_MS);
  }

  /** Keeps results of calls without effects for the next commit: those that are lost are asked for again. */
  deferResults(round: number, finished: readonly FinishedCall[]): void {
    this.#waiting.push(...this.#results(round, finished));
  }

  /** Texts from outside that went into a round: what the journal has, else `fresh`, which is written. */
  inputs(round: number, fresh: () => string[]): string[] {
    return this.steering(round, () => ({ texts: fresh(), taken: [] }));
  }

  /** The same for texts that were kept until now: that they were taken is written in the same commit. */
  steering(round: number, take: () => Steered): string[] {
    const past = this.#rounds.get(round);
    if (past?.inputs) return past.inputs;
    // A round that was answered without inputs had none: what waits now belongs to a later one.
    if (past?.answer) return [];
    const { texts, taken } = take();
    if (texts.length > 0) this.#append([this.#entry('input', round, 0, texts), ...taken]);
    return texts;
  }

  /** Whether texts from outside are known to have gone into a round. */
  hasInputs(round: number): boolean {
    return this.#rounds.get(round)?.inputs !== undefined;
  }

  change(round: number): RecordedChange | undefined {
    return this.#rounds.get(round)?.change;
  }

  /** Kept for the next commit: a verdict that is lost is made again. */
  recordChange(round: number, change: RecordedChange): void {
    this.#waiting.push(this.#entry('change', round, 0, change));
  }

  #results(round: number, finished: readonly FinishedCall[]): JournalEntry[] {
    return finished.map(({ index, result }) => {
      // The whole output is for the session's log, which has it by now.
      const { fullOutput: _whole, ...kept } = result;
      return this.#entry('result', round, index, kept);
    });
  }

  #intent(round: number, intent: PlannedCall | undefined): JournalEntry[] {
    if (!intent) return [];
    return [this.#entry('intent', round, intent.index, { name: intent.name, args: intent.args })];
  }

  #entry(kind: JournalEntry['kind'], round: number, call: number, body: unknown): JournalEntry {
    return { kind, stage: this.stage, round, call, body };
  }

  #append(entries: JournalEntry[]): void {
    if (this.#failure) throw this.#failure;
    if (entries.length > 0) this.#journal?.append([...this.#waiting.splice(0), ...entries]);
  }

  /** Throws when it cannot be written; a disk that fails later is kept for the next write, should nobody await this. */
  #appendSoon(entries: JournalEntry[], withinMs: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (entries.length === 0) return Promise.resolve();
    if (!this.#journal?.appendSoon) {
      this.#append(entries);
      return Promise.resolve();
    }
    const onDisk = this.#journal.appendSoon([...this.#waiting.splice(0), ...entries], withinMs);
    onDisk.catch((error: unknown) => (this.#failure = error));
    return onDisk;
  }

  #remember(entry: JournalEntry): void {
    const round = this.#rounds.get(entry.round) ?? { calls: new Map<number, PastCall>() };
    this.#rounds.set(entry.round, round);
    switch (entry.kind) {
      case 'answer':
        round.answer = entry.body as RecordedAnswer;
        return;
      case 'intent':
        round.calls.set(entry.call, { ...round.calls.get(entry.call), intended: true });
        return;
      case 'result':
        round.calls.set(entry.call, { intended: true, result: wholeAgain(entry.body as KeptResult) });
        return;
      case 'input':
        round.inputs = entry.body as string[];
        return;
      case 'change':
        round.change = entry.body as RecordedChange;
    }
  }
}
