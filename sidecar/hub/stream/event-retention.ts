/** Keeps the history bounded: events of tasks that ended long ago are removed, a slice at a time. */
import { sql } from 'kysely';
import type { Clock, Logger } from '../../ports.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

const EVERY_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
/** Rows per transaction, so that the queue is never held up for long. */
const SLICE = 5_000;

export interface EventRetentionOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
  /** Days after a task's end. */
  keepDays: number;
}

export class EventRetention {
  readonly #options: EventRetentionOptions;
  #cancel: () => void = () => undefined;
  #closed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: EventRetentionOptions) {
    this.#options = options;
  }

  /** Removes what is too old now and then every six hours. */
  start(): void {
    this.#running = this.#removeOld().finally(() => {
      if (!this.#closed) this.#cancel = this.#options.clock.schedule(EVERY_MS, () => this.start());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#running;
  }

  /** Never rejects. */
  async #removeOld(): Promise<void> {
    const { store, clock, logger, keepDays } = this.#options;
    const before = clock.now() - keepDays * DAY_MS;
    try {
      let removed: number;
      do {
        removed = await store.run(async ({ trx }) => {
          const { numAffectedRows } = await sql`
            DELETE FROM events WHERE id IN (
              SELECT events.id FROM events JOIN tasks ON tasks.id = events.task_id
              WHERE tasks.finished_at IS NOT NULL AND tasks.finished_at < ${before} LIMIT ${SLICE})`.execute(
            trx,
          );
          return Number(numAffectedRows ?? 0n);
        });
      } while (removed === SLICE && !this.#closed);
    } catch (error) {
      logger.error({ err: error }, 'old events could not be removed');
    }
  }
}
