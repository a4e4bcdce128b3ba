/**
 * The hub's metrics for Prometheus. Names begin with `sidecar_hub_`; labels have few values, never names of tasks,
 * repositories or models. Counters are per replica and may be summed; gauges of tasks come from the database and are
 * equal on all replicas.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  addGauge,
  addLabelledMetric,
  getProcessMetrics,
  type Exposition,
} from '../base/observability/prometheus.ts';
import type { Clock } from '../base/ports.ts';
import { isAsking, isInFlight, isPending, isQueued } from './storage/conditions.ts';
import type { taskSummaryOf, WorkerView } from './queue/views.ts';
import { DAY_MS } from './storage/count-figures.ts';
import type { EventRow } from './storage/tables.ts';
import type { HubStore } from './storage/unit-of-work.ts';
import type { WorkerDirectory } from './socket/worker-directory.ts';
import type { Broadcaster } from './stream/broadcaster.ts';
import type { EventLog } from './stream/event-log.ts';

/** Sources of the values that are read at each scrape. */
export interface HubFigures {
  store: HubStore;
  clock: Clock;
  workers: Pick<WorkerDirectory, 'connectedWorkers' | 'listViews'>;
  broadcaster: Pick<Broadcaster, 'readerCount' | 'sentEventCount'>;
  events: Pick<EventLog, 'droppedCount'>;
}

export interface HubMetrics {
  /** Counts a refused frame of a worker; `reason` is one of a fixed set. */
  countRefusedFrame(reason: string): void;
  renderText(): Promise<Exposition>;
}

const OPEN_STATUSES = ['queued', 'assigned', 'running', 'asks'] as const;
const END_STATUSES = ['success', 'partial', 'dead_letter', 'cancelled'] as const;
/** Reasons that return an assigned task to the queue. */
const REQUEUE_REASONS = ['retry', 'worker_lost', 'not_accepted', 'lease_expired'] as const;
/** Reasons of task events that do not change the task's state. */
const NON_STATE_REASONS = new Set(['follow_up_created', 'figures', 'hold', 'asks']);
const WAIT_SECONDS_BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1_800, 7_200];

/** Creates a separate registry, so that several hubs can run in one process. Counts commits from this call on. */
export function createHubMetrics(figures: HubFigures): HubMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counts = addCounters(registers);
  const gauges = addGauges(figures, registers);
  const readSeenWorkers = addWorkerGauges(registers, figures);
  const merged = Registry.merge([registry, getProcessMetrics()]);
  figures.store.onCommit((events, used) => {
    for (const event of events) countEvent(event, counts);
    for (const { tokens_in, tokens_out } of used) {
      counts.tokens.inc({ direction: 'in' }, tokens_in);
      counts.tokens.inc({ direction: 'out' }, tokens_out);
    }
  });
  return {
    countRefusedFrame: (reason) => counts.refused.inc({ reason }),
    async renderText() {
      await Promise.all([readTasks(figures.store, gauges), readSeenWorkers()]);
      return { contentType: registry.contentType, body: await merged.metrics() };
    },
  };
}

type HubCounters = ReturnType<typeof addCounters>;
type HubGauges = ReturnType<typeof addGauges>;

function addCounters(registers: Registry[]) {
  const createCounter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `sidecar_hub_${name}_total`, help, labelNames, registers });
  const counts = {
    submitted: createCounter('tasks_submitted', 'Tasks that were submitted, follow-ups included'),
    assignments: createCounter('assignments', 'Assignments of tasks to workers'),
    eventsIn: createCounter('events_in', 'Execution events received from workers and stored'),
    refused: createCounter('frames_refused', 'Refused frames from workers', 'reason'),
    ended: createCounter('tasks_ended', 'Tasks that ended', 'ending'),
    returned: createCounter('tasks_returned', 'Tasks that returned to the queue', 'reason'),
    tokens: createCounter('tokens', 'Tokens of all attempts, as workers report them', 'direction'),
    wait: new Histogram({
      name: 'sidecar_hub_assignment_wait_seconds',
      help: 'Time from submission (or delayed start) to the first assignment',
      buckets: WAIT_SECONDS_BUCKETS,
      registers,
    }),
  };
  // Exported as zero from the start, so that rates include the first increase.
  for (const ending of END_STATUSES) counts.ended.inc({ ending }, 0);
  for (const direction of ['in', 'out']) counts.tokens.inc({ direction }, 0);
  for (const reason of REQUEUE_REASONS) counts.returned.inc({ reason }, 0);
  return counts;
}

function addGauges({ workers, broadcaster, events }: HubFigures, registers: Registry[]) {
  const addHubGauge = (name: string, help: string, value: () => number) =>
    addGauge(registers, `sidecar_hub_${name}`, help, value);
  const addTotal = (name: string, help: string, value: () => number) =>
    addLabelledMetric(registers, `sidecar_hub_${name}_total`, help, [], (set) => set({}, value()));
  const countDraining = () => workers.connectedWorkers.filter((one) => one.draining).length;
  const sumCapacity = () => workers.connectedWorkers.reduce((sum, one) => sum + one.capacity, 0);
  addHubGauge(
    'streams',
    'Open event streams (Server-Sent Events), dashboards included',
    () => broadcaster.readerCount,
  );
  addHubGauge(
    'workers_connected',
    'Workers connected to this replica',
    () => workers.connectedWorkers.length,
  );
  addHubGauge('workers_draining', 'Connected workers that are draining and get no new tasks', countDraining);
  addHubGauge('worker_capacity', 'Tasks that the connected workers may run at once', sumCapacity);
  addTotal('events_out', 'Events sent to clients of event streams', () => broadcaster.sentEventCount);
  addTotal(
    'events_dropped',
    'Events dropped because they arrived faster than they could be stored',
    () => events.droppedCount,
  );
  const createGauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `sidecar_hub_${name}`, help, labelNames, registers });
  return {
    tasks: createGauge('tasks', 'Tasks that have not ended', 'status'),
    deadLetters: createGauge('dead_letters', 'Tasks that failed permanently and wait for a user'),
    approvals: createGauge(
      'approvals_pending',
      'Approval requests of running tasks that wait for a user’s answer',
    ),
    databaseUp: createGauge('database_up', 'Whether the database answered during this scrape'),
  };
}

/** How long the metrics of a disconnected worker are still exported. */
const MAX_WORKER_AGE_MS = 7 * DAY_MS;
const MAX_REASON_CHARS = 200;

/** Adds gauges per recently seen worker. The returned function reads the workers for the next scrape. */
function addWorkerGauges(registers: Registry[], { workers, clock }: HubFigures): () => Promise<void> {
  let seenWorkers: WorkerView[] = [];
  const addWorkerGauge = (
    name: string,
    help: string,
    labels: string[],
    valueOf: (worker: WorkerView) => { labels?: Record<string, string>; value: number } | undefined,
  ): void =>
    addLabelledMetric(registers, `sidecar_hub_worker_${name}`, help, ['worker', ...labels], (set) => {
      for (const worker of seenWorkers) {
        const one = valueOf(worker);
        if (one) set({ worker: worker.agent_id, ...one.labels }, one.value);
      }
    });
  addWorkerGauge('up', 'Whether the worker is connected', [], ({ connected }) => ({
    value: Number(connected),
  }));
  addWorkerGauge('ready', 'Whether the worker accepts tasks when it has capacity', [], (worker) => ({
    value: Number(isReady(worker)),
  }));
  addWorkerGauge('busy_places', 'Tasks assigned to the worker', [], ({ load }) => ({ value: load }));
  addWorkerGauge('places', 'Tasks that the worker can run at once', [], ({ capacity }) => ({
    value: capacity,
  }));
  addWorkerGauge('info', 'The version of the worker; always 1', ['version'], ({ version }) => ({
    labels: { version: version ?? '' },
    value: 1,
  }));
  addWorkerGauge(
    'not_ready_reason',
    'Reason why a connected worker accepts no tasks; always 1',
    ['reason'],
    (worker) => {
      if (!worker.connected || isReady(worker)) return undefined;
      const reason = worker.not_ready ?? 'draining';
      return { labels: { reason: reason.slice(0, MAX_REASON_CHARS) }, value: 1 };
    },
  );
  return async () => void (seenWorkers = await readWorkers(workers, clock));
}

const isReady = ({ connected, draining, not_ready: reason }: WorkerView): boolean =>
  connected && !draining && reason === null;

/** Returns the recently seen workers; empty if the database does not answer, which `database_up` shows. */
async function readWorkers(workers: HubFigures['workers'], clock: Clock): Promise<WorkerView[]> {
  const views = await workers.listViews().catch(() => []);
  const since = clock.now() - MAX_WORKER_AGE_MS;
  return views.filter(({ connected, last_seen_at: seenAt }) => connected || seenAt >= since);
}

/** The body of a `task` event. */
type TaskEventBody = ReturnType<typeof taskSummaryOf> & { reason: string };

function countEvent({ kind, body }: EventRow, counts: HubCounters): void {
  if (kind === 'execution') counts.eventsIn.inc();
  if (kind !== 'task') return;
  const taskEvent = JSON.parse(body) as TaskEventBody;
  if (taskEvent.reason === 'assigned') countAssignment(taskEvent, counts);
  else if (isOneOf(REQUEUE_REASONS, taskEvent.reason)) counts.returned.inc({ reason: taskEvent.reason });
  else if (NON_STATE_REASONS.has(taskEvent.reason)) return;
  else if (taskEvent.reason === 'submitted') counts.submitted.inc();
  else if (isOneOf(END_STATUSES, taskEvent.status)) counts.ended.inc({ ending: taskEvent.status });
}

function countAssignment(
  { generation, created_at, not_before, assigned_at }: TaskEventBody,
  counts: HubCounters,
): void {
  counts.assignments.inc();
  if (generation !== 1 || assigned_at === null) return;
  counts.wait.observe(Math.max(0, assigned_at - Math.max(created_at, not_before)) / 1000);
}

const isOneOf = <T extends string>(words: readonly T[], word: string): word is T =>
  (words as readonly string[]).includes(word);

/** Sets the gauges of tasks with a few indexed queries. If the database fails, `database_up` is 0. */
async function readTasks(
  { db }: HubStore,
  { tasks, deadLetters, approvals, databaseUp }: HubGauges,
): Promise<void> {
  try {
    const countQuery = db.selectFrom('tasks').select((eb) => eb.fn.countAll<number>().as('count'));
    const [queued, inFlight, asking, pending, dead] = await Promise.all([
      countQuery.where(isQueued).executeTakeFirstOrThrow(),
      countQuery.select('status').where(isInFlight).groupBy('status').execute(),
      countQuery.where(isAsking).executeTakeFirstOrThrow(),
      db
        .selectFrom('approvals')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where(isPending)
        .executeTakeFirstOrThrow(),
      countQuery
        .where('status', '=', 'dead_letter')
        .where('finished_at', 'is not', null)
        .executeTakeFirstOrThrow(),
    ]);
    const counts = new Map<string, number>(inFlight.map(({ status, count }) => [status, count]));
    counts.set('queued', queued.count);
    counts.set('asks', asking.count);
    counts.set('running', Math.max(0, (counts.get('running') ?? 0) - asking.count));
    approvals.set(pending.count);
    for (const status of OPEN_STATUSES) tasks.set({ status }, counts.get(status) ?? 0);
    deadLetters.set(dead.count);
    databaseUp.set(1);
  } catch {
    tasks.reset();
    deadLetters.reset();
    approvals.reset();
    databaseUp.set(0);
  }
}
