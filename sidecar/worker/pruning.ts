/**
 * Removes what old tasks left, at start and then once a day,
 * in the background.
 */
import type { Config } from '../config/schema.ts';
import type { Clock, Logger } from '../ports.ts';
import type { TaskRecords } from '../storage/task-records.ts';
import { pruneWorkspaces } from '../workspace/prune-workspaces.ts';
import type { Folders } from './folders.ts';
import { retainSessions } from './sessions.ts';

const DAY_MS = 24 * 3_600_000;
/** The start is for tasks: cleaning up waits a little. */
const FIRST_DELAY_MS = 5_000;

export interface PruningOptions {
  config: Config;
  folders: Folders;
  records: Pick<TaskRecords, 'unfinished' | 'partialTasks'>;
  clock: Clock;
  logger: Logger;
}

export interface Pruning {
  /** Something was given up just now: does not wait for the next day. */
  soon(): void;
  /** Ends it and waits for what is under way. */
  stop(): Promise<void>;
}

export function startPruning(options: PruningOptions): Pruning {
  const { clock } = options;
  let running: Promise<void> = Promise.resolve();
  let isSoon = false;
  let cancel = clock.schedule(FIRST_DELAY_MS, next);
  function next(): void {
    cancel();
    isSoon = false;
    cancel = clock.schedule(DAY_MS, next);
    running = running.then(() => prune(options));
  }
  return {
    soon() {
      cancel();
      isSoon = true;
      cancel = clock.schedule(FIRST_DELAY_MS, next);
    },
    async stop() {
      if (isSoon) next();
      cancel();
      await running;
    },
  };
}

async function prune(options: PruningOptions): Promise<void> {
  const { config, folders, records, clock, logger } = options;
  const { cacheDir, worktreesDir, sessionsDir } = folders;
  const maxAgeMs = config.workspace.keepPartialDays * DAY_MS;
  const pruned = await pruneWorkspaces({
    cacheDir,
    worktreesDir,
    activeTasks: new Set(records.unfinished().map(({ task }) => task.task_id)),
    partialTasks: new Set(records.partialTasks()),
    maxAgeMs,
    clock,
    logger,
  });
  await retainSessions(sessionsDir, config.sessions, { clock, logger });
  if (!pruned.ok) logger.warn({ ...pruned.failure }, 'Old workspaces could not be removed');
}
