/**
 * Execution events of running tasks on their way to disk and dashboards: gathered for 25 ms, stored in one
 * transaction, then published. Bounded: past the limit the oldest are dropped
 * and counted, since progress carries no promise of delivery and memory is finite.
 */
import type { Clock, Logger } from '../../ports.ts';
import type { ExecutionEvent } from '../../protocol/events.ts';
import type { Leases } from '../queue/leases.ts';
import { addUsed, usedBy } from '../queue/attempts.ts';
import { workFigure } from '../queue/figures.ts';
import { noteHold } from '../queue/holds.ts';
import { usedOf } from '../queue/outcome.ts';
import type { HubStore, UnitOfWork } from '../storage/unit-of-work.ts';

const EVENT_BATCH_MS = 25;
const MAX_WAITING = 50_000;
/** A lease is written again at most this often per task. */
const RENEW_EVERY_MS = 15_000;

/** An assignment as its connection knows it. */
export interface HeldTask {
  readonly generation: number;
  /** The worker has it on its disk. */
  readonly isAccepted?: boolean;
  renewedAtMs?: number;
  /** The model that it named last. */
  model?: string;
}

interface WaitingEvent {
  taskId: string;
  agentId: string;
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
  #waiting: WaitingEvent[] = [];
  #progressed = new Map<string, { agentId: string; progress?: number }>();
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;
  /** How many of the dropped events the log has reported. */
  #reported = 0;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Events that came faster than they could be stored, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The worker said something about a task: its lease is renewed, its events are stored soon. Never throws. */
  progress(
    { taskId, agentId, assigned }: { taskId: string; agentId: string; assigned: HeldTask },
    said: { progress?: number; events: readonly ExecutionEvent[] },
  ): void {
    const at = this.#options.clock.now();
    const { generation, renewedAtMs = -Infinity } = assigned;
    for (const event of said.events) {
      assigned.model = event.model ?? assigned.model;
      this.#waiting.push({ taskId, agentId, generation, at, model: assigned.model, event });
    }
    if (said.progress !== undefined || at - renewedAtMs >= RENEW_EVERY_MS) {
      assigned.renewedAtMs = at;
      this.#progressed.set(taskId, {
        agentId,
        ...(said.progress !== undefined && { progress: said.progress }),
      });
    }
    if (this.#waiting.length > MAX_WAITING) {
      this.#dropped += this.#waiting.splice(0, this.#waiting.length - MAX_WAITING).length;
    }
    this.#cancelTimer ??= this.#options.clock.schedule(EVENT_BATCH_MS, () => void this.flush());
  }

  /** Stores what waits; resolves when everything said before the call is on disk. Never rejects. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { store, leases, logger } = this.#options;
    const events = this.#waiting;
    const progressed = this.#progressed;
    this.#waiting = [];
    this.#progressed = new Map();
    try {
      // The lease first and on its own: the order of sequence numbers is the last lock a transaction takes.
      await leases.renew(progressed);
      if (events.length > 0)
        await store.run(async (unit) => {
          const known = await knownTasks(unit, new Set(events.map(({ taskId }) => taskId)));
          for (const one of events) if (known.has(one.taskId)) await keep(unit, one);
        });
      if (this.#dropped > this.#reported) {
        const dropped = this.#dropped - this.#reported;
        logger.warn({ dropped }, 'events came faster than they could be stored; the oldest were dropped');
        this.#reported = this.#dropped;
      }
    } catch (error) {
      logger.error(
        { err: error, events: events.length },
        'events could not be stored and are lost to the history',
      );
    }
  }
}

/** A worker may still speak of a task that retention has removed: its events have nothing to belong to. */
async function knownTasks({ trx, kind }: UnitOfWork, ids: ReadonlySet<string>): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', [...ids])
    // Until the commit nobody removes them.
    .$if(kind !== 'sqlite', (query) => query.forKeyShare())
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function keep(unit: UnitOfWork, waiting: WaitingEvent): Promise<void> {
  const { event, model, at, ...attempt } = waiting;
  const use = event.used && { used: usedOf(event.used), isOfWorker: true, model };
  const added = use && (await addUsed(unit, attempt, use, at));
  // Whoever follows the task reads what all of its attempts have used.
  unit.record(row(added ? { ...waiting, event: { ...event, used: usedBy(added.task) } } : waiting));
  if (event.on_hold !== undefined) await noteHold(unit, attempt, event.on_hold, at);
  const figure = workFigure(waiting.event, waiting.at);
  if (figure) unit.count(figure);
}

const row = ({ taskId, generation, at, event }: WaitingEvent) => ({
  task_id: taskId,
  at,
  generation,
  kind: 'execution' as const,
  body: JSON.stringify(event),
});
