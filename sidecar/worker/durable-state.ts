/**
 * What a worker keeps in its state folder: tasks, journal, outbox and ledger in one database. The folder belongs to one
 * process at a time; the lock is taken before the database is opened.
 */
import type { Config } from '../config/schema.ts';
import { CostLedger } from '../ledger/cost-ledger.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { Clock, Logger, TaskJournal } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import { createOutbox, type Outbox } from '../storage/outbox.ts';
import { openStateDatabase } from '../storage/state-database.ts';
import { acquireStateLock, unusedMs } from '../storage/state-lock.ts';
import { storageError } from '../storage/storage-error.ts';
import { createTaskJournal } from '../storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../storage/task-records.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { makeFolder } from '../system/make-folder.ts';
import type { Folders } from './folders.ts';

/** The minute in which a bucket fills, and the time between two touches of the lock by a worker that was killed after it. */
const RESTED_AFTER_MS = 70_000;

export interface DurableState {
  records: TaskRecords;
  outbox: Outbox;
  /** No worker had this folder lately: the hub's bucket of frames has filled since. */
  isRested: boolean;
  /** A task's memory. */
  journal: (task: Task) => TaskJournal;
  ledger: (options: LedgerOptions) => CostLedger;
}

export interface LedgerOptions {
  config: Config;
  /** Says what models cost. */
  catalog: ModelCatalog;
  logger: Logger;
}

/** Takes the state folder for this process; given back when `opened` is closed. Throws `StorageError`. */
export function openDurableState(folders: Folders, clock: Clock, opened: CleanupStack): DurableState {
  const isRested = unusedMs(folders.stateDir) > RESTED_AFTER_MS;
  makeFolders(folders);
  const lock = acquireStateLock(folders.stateDir);
  opened.add(() => lock.release());
  const db = openStateDatabase(folders.stateDir);
  opened.add(() => db.close());
  return {
    isRested,
    records: createTaskRecords(db, clock),
    outbox: createOutbox(db),
    journal: (task) => createTaskJournal(db, task.task_id),
    ledger: ({ config, catalog, logger }) => {
      const prices = (model: string) => catalog.entry(model).price;
      return new CostLedger({ db, budgets: config.budgets, prices, clock, logger });
    },
  };
}

function makeFolders({ stateDir, worktreesDir, cacheDir }: Folders): void {
  for (const dir of [stateDir, worktreesDir, cacheDir]) {
    try {
      makeFolder(dir);
    } catch (cause) {
      throw storageError(cause, dir);
    }
  }
}
