/**
 * Removes what old tasks left: workspaces, sessions, and rows of the history and the ledger. Runs in the background, at the start and then
 * once a day; rows are removed in small steps that wait for idle moments.
 */
import PQueue from 'p-queue';
import type { Config } from '../base/config/schema.ts';
import type { CostLedger } from './ledger/cost-ledger.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { listSessions, pruneSessions } from '../solving/session/session-store.ts';
import type { TaskRecords } from '../base/storage/task-records.ts';
import { runInSteps } from '../base/system/in-steps.ts';
import { pruneWorkspaces } from '../workspace/prune-workspaces.ts';
import { errorMessage } from '../base/values/errors.ts';
import type { Folders } from './folders.ts';

const DAY_MS = 24 * 3_600_000;
/** Cleaning up waits a little, since a start is for tasks. */
const FIRST_DELAY_MS = 5_000;
/** Rows per step, which takes a few milliseconds. */
const ROWS = 100;
/** How long a step waits at most for running tasks to end. */
const PATIENCE_MS = 10_000;

/** Maximum number of rows and folders, whatever their age. */
const MAX_HISTORY_ROWS = 10_000;
/** Maximum number of calls, and of tasks with their own sum. */
const MAX_LEDGER_ROWS = 200_000;
const MAX_SESSIONS = 5_000;

export interface PruningOptions {
  config: Config;
  folders: Folders;
  records: Pick<TaskRecords, 'listUnfinished' | 'pruneHistory'>;
  ledger: Pick<CostLedger, 'prune'>;
  /** Whether no task runs. */
  isIdle: () => boolean;
  clock: Clock;
  logger: Logger;
}

export interface Pruning {
  /** Prunes soon, since a task was given up, and not only the next day. */
  pruneSoon(): void;
  /** Stops pruning and waits for the current step. */
  stop(): Promise<void>;
}

export function startPruning(options: PruningOptions): Pruning {
  const { clock, logger } = options;
  const stopped = new AbortController();
  const turns = new PQueue({ concurrency: 1 });
  let isSoon = false;
  let cancel = clock.schedule(FIRST_DELAY_MS, next);
  function next(): void {
    cancel();
    isSoon = false;
    cancel = clock.schedule(DAY_MS, next);
    turns
      .add(() => prune(options, stopped.signal))
      .catch((error: unknown) => {
        logger.warn({ reason: errorMessage(error) }, 'Old work could not be removed');
      });
  }
  return {
    pruneSoon() {
      cancel();
      isSoon = true;
      cancel = clock.schedule(FIRST_DELAY_MS, next);
    },
    async stop() {
      stopped.abort();
      if (isSoon) next();
      cancel();
      await turns.onIdle();
    },
  };
}

async function prune(options: PruningOptions, signal: AbortSignal): Promise<void> {
  const { config, folders, records, clock, logger } = options;
  const { cacheDir, worktreesDir, sessionsDir } = folders;
  const maxAgeMs = config.workspace.keepPartialDays * DAY_MS;
  const pruned = await pruneWorkspaces({
    cacheDir,
    worktreesDir,
    activeTasks: new Set(records.listUnfinished().map(({ task }) => task.task_id)),
    maxAgeMs,
    clock,
    logger,
  });
  await retainSessions(sessionsDir, config.retention, { clock, logger });
  if (!pruned.ok) logger.warn({ ...pruned.failure }, 'Old workspaces could not be removed');
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
  const step = (): boolean => {
    const removed = records.pruneHistory(history, ROWS) + ledger.prune(calls, ROWS);
    rows += removed;
    return removed > 0;
  };
  try {
    await runInSteps({ step, isIdle, patienceMs: PATIENCE_MS, clock, signal });
    if (rows > 0) logger.info({ rows }, 'Removed old rows of the history and the ledger');
  } catch (error) {
    logger.warn({ err: error }, 'Old rows of the history or the ledger could not be removed');
  }
}

/**
 * Removes sessions that are too old or too many, except those that this or another worker may be writing. Never rejects: a folder that
 * cannot be cleaned prevents no task.
 */
export async function retainSessions(
  sessionsDir: string,
  kept: Pick<Config['retention'], 'sessionDays' | 'sessionBytes'>,
  { clock, logger }: { clock: Pick<Clock, 'now'>; logger: Logger },
): Promise<void> {
  const nowMs = clock.now();
  try {
    const running = (await listSessions(sessionsDir)).filter(
      ({ status, start }) => status === 'running' && nowMs - Date.parse(start) < DAY_MS,
    );
    const removed = await pruneSessions(sessionsDir, {
      maxAgeMs: kept.sessionDays * DAY_MS,
      maxCount: MAX_SESSIONS,
      maxBytes: kept.sessionBytes,
      nowMs,
      active: new Set(running.map(({ id }) => id)),
    });
    if (removed.length > 0) logger.info({ sessions: removed.length }, 'Removed old sessions');
  } catch (error) {
    logger.warn({ err: error, dir: sessionsDir }, 'Old sessions could not be removed');
  }
}
