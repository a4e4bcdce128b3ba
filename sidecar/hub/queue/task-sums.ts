/**
 * Counts and sums over all tasks. Five thousand are read at a time, so that a million never block the queue; a result
 * that took long is reused for a while.
 */
import type { Clock } from '../../ports.ts';
import { isNotDone } from '../../protocol/result.ts';
import { numberRange } from '../storage/number-range.ts';
import type { TaskStatus } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

/** Tasks of one query: a few milliseconds. */
const WINDOW = 5_000;
/** A result is reused for this many times as long as it took, so that at most a tenth of the time goes into reading. */
const TOLD_AGAIN = 10;
/** Results that were read faster are not reused. */
const FAST_MS = 25;

interface TaskSums {
  counts: Map<TaskStatus, number>;
  /** Successes that no check has verified. */
  unverified: number;
  /** Partial results of which no check passes. */
  notDone: number;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
}

export class TaskSummary {
  readonly #store: HubStore;
  readonly #clock: Clock;
  #reading: Promise<TaskSums> | undefined;
  #last: { sums: TaskSums; untilMs: number } | undefined;

  constructor({ store, clock }: { store: HubStore; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Calls during a read share its result. Rejects when the database fails. */
  sums(): Promise<TaskSums> {
    if (this.#last && this.#clock.monotonicMs() < this.#last.untilMs) return Promise.resolve(this.#last.sums);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<TaskSums> {
    const startMs = this.#clock.monotonicMs();
    const sums: TaskSums = {
      counts: new Map(),
      unverified: 0,
      notDone: 0,
      tokensIn: 0,
      tokensOut: 0,
      costUsd: 0,
    };
    const { first, last } = await numberRange(this.#store.db, 'tasks');
    for (let from = first; from <= last; from += WINDOW) {
      await this.#add(sums, from);
      if (from + WINDOW <= last) await new Promise((resolve) => setImmediate(resolve));
    }
    const endMs = this.#clock.monotonicMs();
    const tookMs = endMs - startMs;
    this.#last = tookMs > FAST_MS ? { sums, untilMs: endMs + tookMs * TOLD_AGAIN } : undefined;
    return sums;
  }

  async #add(sums: TaskSums, from: number): Promise<void> {
    const rows = await this.#store.db
      .selectFrom('tasks')
      .select(({ fn }) => [
        'status',
        'verification_status',
        fn.countAll<number>().as('count'),
        fn.sum<number | null>('tokens_in').as('tokensIn'),
        fn.sum<number | null>('tokens_out').as('tokensOut'),
        fn.sum<number | null>('cost_usd').as('costUsd'),
      ])
      .where('seq', '>=', from)
      .where('seq', '<', from + WINDOW)
      .groupBy(['status', 'verification_status'])
      .execute();
    for (const row of rows) {
      sums.counts.set(row.status, (sums.counts.get(row.status) ?? 0) + row.count);
      if (row.status === 'success' && row.verification_status !== 'verified') sums.unverified += row.count;
      if (isNotDone(row)) sums.notDone += row.count;
      sums.tokensIn += row.tokensIn ?? 0;
      sums.tokensOut += row.tokensOut ?? 0;
      sums.costUsd += row.costUsd ?? 0;
    }
  }
}
