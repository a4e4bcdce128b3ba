/**
 * Stores and publishes execution events: collects them for 25 ms, stores them in one transaction, then publishes. Past
 * a limit the oldest are dropped and counted, since progress need not be delivered and memory is finite.
 */
import type { Clock, Logger } from '../../base/ports.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { Leases } from '../queue/leases.ts';
import { addUsage, usageOfTask } from '../queue/attempts.ts';
import { workFigureOf } from '../queue/figures.ts';
import { usageOf } from '../queue/outcome.ts';
import type { HubStore, UnitOfWork } from '../storage/unit-of-work.ts';
import { recordTaskEvent } from '../queue/task-events.ts';

const EVENT_BATCH_MS = 25;
const MAX_WAITING_EVENTS = 50_000;
/** Minimum interval between two renewals of a task's lease. */
const RENEWAL_INTERVAL_MS = 15_000;

/** State of an assigned task, held in memory for as long as its worker is connected. */
export interface AssignedTask {
  readonly generation: number;
  /** True once the worker has reported that the task is on its disk. */
  readonly isAccepted?: boolean;
  renewedAtMs?: number;
  /** Model that the task's last events named. */
  model?: string;
}

interface WaitingEvent {
  taskId: string;
  workerId: string;
  generation: number;
  at: number;
  model: string | undefined;
  event: ExecutionEvent;
}

interface EventLogOptions {
  store: HubStore;
  leases: Leases;
  clock: Clock;
  logger: Logger;
}

export class EventLog {
  readonly #options: EventLogOptions;
  #waitingEvents: WaitingEvent[] = [];
  #progressByTask = new Map<string, { workerId: string; progress?: number }>();
  #cancelTimer: (() => void) | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #droppedCount = 0;
  /** Number of dropped events that the log has reported. */
  #reportedCount = 0;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Number of events dropped since the start because they arrived faster than they could be stored. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Renews the lease of a task and queues its events for storage. Never throws. */
  recordProgress(
    { taskId, workerId, assigned }: { taskId: string; workerId: string; assigned: AssignedTask },
    report: { progress?: number; events: readonly ExecutionEvent[] },
  ): void {
    const at = this.#options.clock.now();
    const { generation, renewedAtMs = -Infinity } = assigned;
    for (const event of report.events) {
      assigned.model = event.model ?? assigned.model;
      this.#waitingEvents.push({ taskId, workerId, generation, at, model: assigned.model, event });
    }
    if (report.progress !== undefined || at - renewedAtMs >= RENEWAL_INTERVAL_MS) {
      assigned.renewedAtMs = at;
      this.#progressByTask.set(taskId, {
        workerId,
        ...(report.progress !== undefined && { progress: report.progress }),
      });
    }
    if (this.#waitingEvents.length > MAX_WAITING_EVENTS) {
      this.#droppedCount += this.#waitingEvents.splice(
        0,
        this.#waitingEvents.length - MAX_WAITING_EVENTS,
      ).length;
    }
    this.#cancelTimer ??= this.#options.clock.schedule(EVENT_BATCH_MS, () => void this.flush());
  }

  /** Stores all queued events. Resolves when everything before the call is on disk. Never rejects. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#lastWrite = this.#lastWrite.then(() => this.#write());
    return this.#lastWrite;
  }

  async #write(): Promise<void> {
    const { store, leases, logger } = this.#options;
    const events = this.#waitingEvents;
    const progressByTask = this.#progressByTask;
    this.#waitingEvents = [];
    this.#progressByTask = new Map();
    try {
      // The leases are renewed in an earlier transaction: the lock on the event order must be the last one that a
      // transaction takes.
      await leases.renew(progressByTask);
      if (events.length > 0)
        await store.run(async (unit) => {
          const knownIds = await readExistingIds(unit, new Set(events.map(({ taskId }) => taskId)));
          for (const one of events) if (knownIds.has(one.taskId)) await storeEvent(unit, one);
        });
      if (this.#droppedCount > this.#reportedCount) {
        const dropped = this.#droppedCount - this.#reportedCount;
        logger.warn({ dropped }, 'events came faster than they could be stored; the oldest were dropped');
        this.#reportedCount = this.#droppedCount;
      }
    } catch (error) {
      logger.error(
        { err: error, events: events.length },
        'events could not be stored and are missing from the history',
      );
    }
  }
}

/**
 * Returns the ids of the tasks that still exist: retention may have removed a task that its worker still reports on.
 */
async function readExistingIds({ trx, kind }: UnitOfWork, ids: ReadonlySet<string>): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', [...ids])
    // The lock prevents the removal of these tasks until the commit.
    .$if(kind !== 'sqlite', (query) => query.forKeyShare())
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function storeEvent(unit: UnitOfWork, waiting: WaitingEvent): Promise<void> {
  const { event, model, at, ...attempt } = waiting;
  const usage = event.used && { usage: usageOf(event.used), isFromWorker: true, model };
  const addedUsage = usage && (await addUsage(unit, attempt, usage, at));
  // Readers get the total usage of all attempts.
  unit.record(
    eventRowOf(
      addedUsage ? { ...waiting, event: { ...event, used: usageOfTask(addedUsage.task) } } : waiting,
    ),
  );
  if (event.on_hold !== undefined) await recordHold(unit, attempt, event.on_hold, at);
  const figure = workFigureOf(waiting.event, waiting.at);
  if (figure) unit.count(figure);
}

const eventRowOf = ({ taskId, generation, at, event }: WaitingEvent) => ({
  task_id: taskId,
  at,
  generation,
  kind: 'execution' as const,
  body: JSON.stringify(event),
});

const MAX_REASON_CHARS = 500;

/** Records that a task is on hold, or has resumed (an empty `reason`). */
async function recordHold(
  unit: UnitOfWork,
  { taskId, workerId, generation }: { taskId: string; workerId: string; generation: number },
  reason: string,
  at: number,
): Promise<void> {
  const isOnHold = reason !== '';
  const task = await unit.trx
    .updateTable('tasks')
    .set({
      hold_reason: isOnHold ? reason.slice(0, MAX_REASON_CHARS) : null,
      hold_since: isOnHold ? at : null,
      updated_at: at,
    })
    .where('id', '=', taskId)
    .where('worker_id', '=', workerId)
    .where('generation', '=', generation)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst();
  if (task) recordTaskEvent(unit, task, 'hold', at);
}
