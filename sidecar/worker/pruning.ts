/**
 * Removes the remains of old tasks: workspaces, sessions, and rows of the history and the ledger. Runs in the
 * background, at the start and then once a day; rows are removed in small steps that wait for idle moments.
 */
import PQueue from 'p-queue';
import type { Config } from '../base/config/schema.ts';
import type { CostLedger } from './ledger/cost-ledger.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { listSessions, pruneSessions } from '../solving/session/session-store.ts';
import type { TaskRecords } from '../base/storage/task-records.ts';
import { runInSteps } from '../base/system/run-in-steps.ts';
import { pruneWorkspaces } from '../workspace/prune-workspaces.ts';
import { errorMessage } from '../base/values/errors.ts';
import type { WorkerFolders } from './folders.ts';

const DAY_MS = 24 * 3_600_000;
/** Delay of the first run, since tasks come first at a start. */
const FIRST_DELAY_MS = 5_000;
/** Number of rows removed per step; a step takes a few milliseconds. */
const ROWS_PER_STEP = 100;
/** Maximum wait of a step for running tasks to end. */
const MAX_STEP_WAIT_MS = 10_000;

/** Maximum number of rows of the history, whatever their age. */
const MAX_HISTORY_ROWS = 10_000;
/** Maximum number of ledger rows: of calls, and of totals per task. */
const MAX_LEDGER_ROWS = 200_000;
const MAX_SESSIONS = 5_000;

export interface PruningOptions {
  config: Config;
  folders: WorkerFolders;
  records: Pick<TaskRecords, 'listUnfinished' | 'pruneHistory'>;
  ledger: Pick<CostLedger, 'prune'>;
  /** Returns whether no task runs. */
  isIdle: () => boolean;
  clock: Clock;
  logger: Logger;
}

export interface Pruning {
  /** Prunes soon instead of the next day, after a task was dropped. */
  pruneSoon(): void;
  /** Stops pruning and waits for the current step. */
  stop(): Promise<void>;
}

export function startPruning(options: PruningOptions): Pruning {
  const { clock, logger } = options;
  const controller = new AbortController();
  const queue = new PQueue({ concurrency: 1 });
  let isScheduledSoon = false;
  let cancel = clock.schedule(FIRST_DELAY_MS, pruneNow);
  function pruneNow(): void {
    cancel();
    isScheduledSoon = false;
    cancel = clock.schedule(DAY_MS, pruneNow);
    queue
      .add(() => prune(options, controller.signal))
      .catch((error: unknown) => {
        logger.warn({ reason: errorMessage(error) }, 'Old data could not be removed');
      });
  }
  return {
    pruneSoon() {
      cancel();
      isScheduledSoon = true;
      cancel = clock.schedule(FIRST_DELAY_MS, pruneNow);
    },
    async stop() {
      controller.abort();
      if (isScheduledSoon) pruneNow();
      cancel();
      await queue.onIdle();
    },
  };
}

async function prune(options: PruningOptions, signal: AbortSignal): Promise<void> {
  const { config, folders, records, clock, logger } = options;
  const { cacheDir, worktreesDir, sessionsDir } = folders;
  const maxAgeMs = config.workspace.keepPartialDays * DAY_MS;
  const pruneOutcome = await pruneWorkspaces({
    cacheDir,
    worktreesDir,
    activeTasks: new Set(records.listUnfinished().map(({ task }) => task.task_id)),
    maxAgeMs,
    clock,
    logger,
  });
  await pruneOldSessions(sessionsDir, config.retention, { clock, logger });
  if (!pruneOutcome.ok) logger.warn({ ...pruneOutcome.failure }, 'Old workspaces could not be removed');
  await pruneRows(options, signal);
}

async function pruneRows(options: PruningOptions, signal: AbortSignal): Promise<void> {
  const { config, records, ledger, isIdle, clock, logger } = options;
  const { historyDays, ledgerDays } = config.retention;
  const history = {
    maxAgeMs: historyDays * DAY_MS,
    maxCount: MAX_HISTORY_ROWS,
    minPartialAgeMs: config.workspace.keepPartialDays * DAY_MS,
  };
  const calls = { maxAgeMs: ledgerDays * DAY_MS, maxCount: MAX_LEDGER_ROWS };
  let rows = 0;
  const pruneStep = (): boolean => {
    const removed = records.pruneHistory(history, ROWS_PER_STEP) + ledger.prune(calls, ROWS_PER_STEP);
    rows += removed;
    return removed > 0;
  };
  try {
    await runInSteps({ step: pruneStep, isIdle, maxIdleWaitMs: MAX_STEP_WAIT_MS, clock, signal });
    if (rows > 0) logger.info({ rows }, 'Removed old rows of the history and the ledger');
  } catch (error) {
    logger.warn({ err: error }, 'Old rows of the history or the ledger could not be removed');
  }
}

/**
 * Removes sessions that are too old or too many, except those that this or another worker may be writing. Never
 * rejects, because a folder that cannot be removed must not prevent tasks.
 */
export async function pruneOldSessions(
  sessionsDir: string,
  retention: Pick<Config['retention'], 'sessionDays' | 'sessionBytes'>,
  { clock, logger }: { clock: Pick<Clock, 'now'>; logger: Logger },
): Promise<void> {
  const nowMs = clock.now();
  try {
    const runningSessions = (await listSessions(sessionsDir)).filter(
      ({ status, start }) => status === 'running' && nowMs - Date.parse(start) < DAY_MS,
    );
    const removed = await pruneSessions(sessionsDir, {
      maxAgeMs: retention.sessionDays * DAY_MS,
      maxCount: MAX_SESSIONS,
      maxBytes: retention.sessionBytes,
      nowMs,
      active: new Set(runningSessions.map(({ id }) => id)),
    });
    if (removed.length > 0) logger.info({ sessions: removed.length }, 'Removed old sessions');
  } catch (error) {
    logger.warn({ err: error, dir: sessionsDir }, 'Old sessions could not be removed');
  }
}
