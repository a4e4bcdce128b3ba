/**
 * Counts and sums over all tasks. Reads 5,000 tasks at a time, so that a million never block the queue, and caches a
 * result that took long.
 */
import type { Clock } from '../../base/ports.ts';
import { isNotDone } from '../../base/protocol/result.ts';
import { readKeyRange } from '../storage/number-range.ts';
import type { TaskStatus } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

/** Number of tasks per query; a query takes a few milliseconds. */
const WINDOW_TASKS = 5_000;
/**
 * How long a result is cached, as a multiple of its reading time. Reading therefore takes at most a tenth of the time.
 */
const CACHE_FACTOR = 10;
/** Reading time, in milliseconds, below which a result is not cached. */
const FAST_MS = 25;

interface QueueSums {
  counts: Map<TaskStatus, number>;
  unverified: number;
  /** Number of partial results without a passing check. */
  partialsWithoutPassingCheck: number;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
}

export class TaskSums {
  readonly #store: HubStore;
  readonly #clock: Clock;
  #reading: Promise<QueueSums> | undefined;
  #cached: { sums: QueueSums; untilMs: number } | undefined;

  constructor({ store, clock }: { store: HubStore; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns the sums; concurrent calls share one read. Rejects if the database fails. */
  readSums(): Promise<QueueSums> {
    if (this.#cached && this.#clock.monotonicMs() < this.#cached.untilMs)
      return Promise.resolve(this.#cached.sums);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<QueueSums> {
    const startMs = this.#clock.monotonicMs();
    const sums: QueueSums = {
      counts: new Map(),
      unverified: 0,
      partialsWithoutPassingCheck: 0,
      tokensIn: 0,
      tokensOut: 0,
      costUsd: 0,
    };
    const { first, last } = await readKeyRange(this.#store.db, 'tasks');
    for (let from = first; from <= last; from += WINDOW_TASKS) {
      await this.#add(sums, from);
      if (from + WINDOW_TASKS <= last) await new Promise((resolve) => setImmediate(resolve));
    }
    const endMs = this.#clock.monotonicMs();
    const tookMs = endMs - startMs;
    this.#cached = tookMs > FAST_MS ? { sums, untilMs: endMs + tookMs * CACHE_FACTOR } : undefined;
    return sums;
  }

  async #add(sums: QueueSums, from: number): Promise<void> {
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
      .where('seq', '<', from + WINDOW_TASKS)
      .groupBy(['status', 'verification_status'])
      .execute();
    for (const row of rows) {
      sums.counts.set(row.status, (sums.counts.get(row.status) ?? 0) + row.count);
      if (row.status === 'success' && row.verification_status !== 'verified') sums.unverified += row.count;
      if (isNotDone(row)) sums.partialsWithoutPassingCheck += row.count;
      sums.tokensIn += row.tokensIn ?? 0;
      sums.tokensOut += row.tokensOut ?? 0;
      sums.costUsd += row.costUsd ?? 0;
    }
  }
}
