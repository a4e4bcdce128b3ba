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
import { acquireStateLock } from '../storage/state-lock.ts';
import { storageError } from '../storage/storage-error.ts';
import { createTaskJournal } from '../storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../storage/task-records.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { makeFolder } from '../system/make-folder.ts';
import type { Folders } from './folders.ts';

export interface DurableState {
  records: TaskRecords;
  outbox: Outbox;
  /** A task's memory in its present generation. */
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
  makeFolders(folders);
  const lock = acquireStateLock(folders.stateDir);
  opened.add(() => lock.release());
  const db = openStateDatabase(folders.stateDir);
  opened.add(() => db.close());
  return {
    records: createTaskRecords(db, clock),
    outbox: createOutbox(db, clock),
    journal: (task) => createTaskJournal(db, task.task_id, task.generation),
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
