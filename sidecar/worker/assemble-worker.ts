/** The worker's composition root: puts the rooms together. Nothing is connected yet. */
import { createHubLink } from '../hub-link/hub-link.ts';
import type { HubLink } from '../hub-link/types.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type { AskPerson } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { routeFor, routingRules } from '../executors/routing.ts';
import { ActiveTasks, type ActiveTask } from './active-tasks.ts';
import { Assignments } from './assignments.ts';
import type { Foundation } from './foundation.ts';
import { journalUntilLeft } from './journal-until-left.ts';
import { loadWhenNeeded } from './lazy-machinery.ts';
import { linkHandlers } from './link-handlers.ts';
import { startPruning } from './pruning.ts';
import { reportResources } from './resources.ts';
import { whyDiskIsFull } from './disk-floor.ts';
import { whyClosed } from './room.ts';
import { mostTasks, openTaskQueue, type TaskQueue } from './task-queue.ts';
import { TaskRunner } from './task-runner.ts';
import { openWatching } from './watching.ts';
import { Worker } from './worker.ts';

export interface AssembledWorker {
  worker: Worker;
  link: HubLink;
  assignments: Assignments;
  /** Loads what tasks are run with, in the background. */
  loadSoon: () => void;
}

/** What is to be ended goes onto `opened`, which the worker closes at its own end. */
export async function assembleWorker(foundation: Foundation, opened: CleanupStack): Promise<AssembledWorker> {
  const { config, logger, clock, folders, state, catalog, masker, createServer, sandboxed } = foundation;
  const { scheduler } = foundation;
  const { servers } = scheduler;
  const { records, outbox, journal } = state;
  const base = { config, logger, clock };
  const most = mostTasks(config);
  const active = new ActiveTasks(most + config.worker.queueSize, journal);
  const ledger = state.ledger({ config, catalog, logger });
  // Link, assignments and worker need each other: what is made first gets at the others when it is used.
  const later = { worker: () => worker, link: () => link };
  const watching = { ...base, masker, active, outbox, ledger, scheduler, ...later };
  const { begin, telemetry, tracer } = await openWatching(watching, opened);
  const askPerson = askThrough(later.link, masker);
  const { machinery, soon } = loadWhenNeeded(
    {
      ...base,
      createServer,
      scheduler,
      telemetry,
      journal: (task) => journalUntilLeft(journal(task), () => active.isLeft(task.task_id)),
      ledger,
      catalog,
      folders,
      masker,
      askPerson,
    },
    opened,
  );
  const pruning = startPruning({ ...base, folders, records, ledger, isIdle: () => active.size === 0 });
  opened.add(() => pruning.stop());
  const assignments = openAssignments(foundation, { active, ...later, onDropped: () => pruning.soon() });
  const link = createHubLink({
    url: config.hub.url ?? '',
    identity: foundation.identity,
    outbox,
    allowInsecure: config.hub.allowInsecure,
    framesPerMinute: config.hub.framesPerMinute,
    isRested: state.isRested,
    clock,
    logger,
    handlers: linkHandlers({ assignments, worker: later.worker }),
  });
  const worker: Worker = new Worker({
    active,
    queue: openQueue(foundation, active, most),
    runner: new TaskRunner({
      ...base,
      machinery,
      records,
      link,
      masker,
      folders,
      sandboxed,
      telemetry,
      tracer,
    }),
    onEnded: (task) => assignments.ended(task),
    link,
    gracePeriodMs: config.worker.gracePeriodMs,
    clock,
    logger,
    close: opened.close,
  });
  servers.onChange(() => link.status({ notReady: servers.downReason, notice: servers.downNotice }));
  opened.add(() => servers.stop());
  opened.add(reportResources(link, clock, config.worker.resourceReportIntervalMs));
  begin();
  return { worker, link, assignments, loadSoon: soon };
}

function openQueue({ config, clock, scheduler }: Foundation, active: ActiveTasks, most: number): TaskQueue {
  const isRunning = ({ state }: ActiveTask) => state === 'running';
  const asksModel = (task: Task) => routeFor(task, config).kind !== 'shell';
  return openTaskQueue({
    most,
    isAuto: config.worker.concurrency === 'auto',
    maxPassedOverMs: config.worker.maxPassedOverMs,
    defaultModel: config.model.default,
    scheduler,
    running: () =>
      active
        .all()
        .filter(isRunning)
        .map(({ task }) => ({ id: task.task_id, asksModel: asksModel(task) })),
    clock,
  });
}

function openAssignments(
  { config, logger, clock, folders, state, scheduler }: Foundation,
  parts: { active: ActiveTasks; worker: () => Worker; link: () => HubLink; onDropped: () => void },
): Assignments {
  const { active, worker, link, onDropped } = parts;
  return new Assignments({
    active,
    records: state.records,
    outbox: state.outbox,
    journal: state.journal,
    link,
    rules: routingRules(config),
    draining: () => worker().state === 'draining',
    closed: () => {
      // Another hub would count a refusal as an attempt: there the task waits in the queue of this worker.
      if (!link().features?.worker_status) {
        return whyClosed({ state: worker().state, diskFull: undefined, modelAway: undefined });
      }
      const diskFull = whyDiskIsFull(folders.worktreesDir, config.worker.minFreeDiskBytes);
      return whyClosed({ state: worker().state, diskFull, modelAway: scheduler.servers.downReason });
    },
    enqueue: (task) => worker().enqueue(task),
    onDropped,
    clock,
    logger,
  });
}

/** People are asked in words without the secrets that this process knows. */
function askThrough(link: () => HubLink, masker: SecretMasker): AskPerson {
  return (request, wait) =>
    link().requestApproval({ ...request, summary: masker.mask(request.summary) }, wait);
}
