/**
 * The part of a worker that deals with its hub, against the double of the public one: link, assignments, records, outbox.
 * A task takes some seconds of the shared clock instead of a model; one runs at a time.
 */
import { CostLedger } from '../../sidecar/worker/ledger/cost-ledger.ts';
import { HubLink } from '../../sidecar/worker/hub-link/hub-link.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import { createOutbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/base/storage/task-journal.ts';
import { createTaskRecords } from '../../sidecar/base/storage/task-records.ts';
import { ActiveTasks, type ActiveTask } from '../../sidecar/worker/active-tasks.ts';
import { Assignments } from '../../sidecar/worker/assignments.ts';
import type { HubDouble } from './hub-double.ts';
import type { ManualClock } from './manual-clock.ts';

export interface PublicHubWorker {
  link: HubLink;
  active: ActiveTasks;
  /** Ids of the tasks that were begun, with the time of the clock. */
  begun: { id: string; atMs: number }[];
  /** Set while the worker is on its way out. */
  isDraining: boolean;
  close(): Promise<void>;
}

export interface PublicHubWorkerOptions {
  clock: ManualClock;
  hub: HubDouble;
  dir: string;
  agentId?: string;
  token?: string;
  taskMs?: number;
  /** Does tasks for other kinds of workers. */
  takesForeign?: boolean;
}

/** Started, not yet connected. Takes three tasks at a time: one runs, two wait. */
export async function startPublicHubWorker(options: PublicHubWorkerOptions): Promise<PublicHubWorker> {
  const {
    clock,
    hub,
    dir,
    agentId = 'worker-1',
    token = 'secret',
    taskMs = 2_000,
    takesForeign = false,
  } = options;
  const db = await openStateDatabase(dir);
  const outbox = createOutbox(db);
  const records = createTaskRecords(db, clock);
  const journal = ({ task_id: id }: { task_id: string }) => createTaskJournal(db, id);
  const active = new ActiveTasks(journal);
  const link = new HubLink({
    url: hub.url,
    identity: { workerId: agentId, token },
    outbox,
    clock,
    random: () => 0.5,
  });
  const waiting: { task: ActiveTask; end: () => void }[] = [];
  const begun: PublicHubWorker['begun'] = [];
  const next = (): void => {
    const [first] = waiting;
    if (!first || first.task.state !== 'queued') return;
    const { task, end } = first;
    task.state = 'running';
    begun.push({ id: task.task.task_id, atMs: clock.monotonicMs() });
    clock.schedule(taskMs, () => {
      waiting.shift();
      task.state = 'ended';
      const { generation } = task;
      const { task_id: id } = task.task;
      const followUp = { metadata: { follow_up_needs: 'push' } };
      const result = {
        status: 'success',
        output: 'done',
        tokens_in: 1_000,
        tokens_out: 1_000,
        follow_up: followUp,
      };
      const frame = { type: 'task_complete' as const, task_id: id, generation, result };
      records.finish(id, { outcome: 'success', frame, result: result as unknown as TaskResult });
      link.flush();
      end();
      next();
    });
  };
  const worker = {
    active,
    begun,
    isDraining: false,
    onStorageFailed(error: unknown) {
      throw error;
    },
  };
  const assignments = new Assignments({
    active,
    records,
    outbox,
    openJournal: journal,
    link,
    ledger: new CostLedger(),
    config: configSchema.parse({ hub: { takeForeignTargets: takesForeign } }),
    capacity: { maxTasks: 3, explainNotReady: () => undefined, explainDiskShortage: () => undefined },
    worker,
    queue: {
      run: (task) =>
        new Promise((end) => {
          waiting.push({ task, end });
          next();
        }),
    },
    pruning: { pruneSoon: () => undefined },
    clock,
    logger: silentLogger,
  });
  link.start({
    onAssign: (task) => assignments.onAssign(task),
    onContinue: (id, generation) => assignments.onContinue(id, generation),
    onDrop: (id, generation) => assignments.onDrop(id, generation),
  });
  return Object.assign(worker, {
    link,
    async close() {
      await link.stop();
      db.close();
    },
  });
}
