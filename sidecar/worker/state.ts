/**
 * Opens the content of a worker's state folder: tasks, journal, outbox and ledger in one database. One process at a time owns the folder;
 * the lock is taken before the database is opened.
 */
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../base/config/schema.ts';
import { killMarkedProcesses } from '../workspace/commands/marked-processes.ts';
import { removeMarkedScratch } from '../workspace/commands/scratch-folders.ts';
import { CostLedger } from './ledger/cost-ledger.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { JournalStore } from '../solving/task/journal.ts';
import type { Task } from '../base/protocol/task.ts';
import { createOutbox, type Outbox } from '../base/storage/outbox.ts';
import { openStateDatabase } from '../base/storage/state-database.ts';
import { acquireStateLock, measureUnusedMs } from '../base/storage/state-lock.ts';
import { toStorageError } from '../base/storage/storage-error.ts';
import { createTaskJournal } from '../base/storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../base/storage/task-records.ts';
import type { CleanupStack } from '../base/system/cleanup-stack.ts';
import { makeFolder } from '../base/system/make-folder.ts';
import { TRACKING_FOLDER_NAME } from '../workspace/task-names.ts';
import { removeEmptyWarmFolders } from '../workspace/warm-trees.ts';
import type { WorkerFolders } from './folders.ts';

/**
 * How long a state folder must be unused before the hub's bucket counts as full: the minute in which a bucket fills,
 * plus the time that may pass between the last touch of the lock and the end of its worker.
 */
const BUCKET_FILL_MS = 70_000;

export interface PersistentState {
  records: TaskRecords;
  outbox: Outbox;
  ledger: CostLedger;
  /** Opens the journal of a task. */
  openJournal: (task: Task) => JournalStore;
  /** Whether no worker has used this folder for so long that the hub's bucket of frames is full. */
  isBucketFull: boolean;
}

export interface StateOptions {
  folders: WorkerFolders;
  budgets: Config['budgets'];
  /** Source of the models' prices. */
  catalog: ModelCatalog;
  clock: Clock;
  logger: Logger;
}

/** Opens the state folder for this process, which owns it until `opened` is closed. Rejects with a `StorageError`. */
export async function openState(options: StateOptions, opened: CleanupStack): Promise<PersistentState> {
  const { folders, budgets, catalog, clock, logger } = options;
  const isBucketFull = measureUnusedMs(folders.stateDir) > BUCKET_FILL_MS;
  makeFolders(folders);
  const lock = acquireStateLock(folders.stateDir);
  opened.add(() => lock.release());
  opened.add(() => removeEmptyFolders(folders));
  const db = await openStateDatabase(folders.stateDir);
  opened.add(() => db.close());
  const priceOfModel = (model: string) => catalog.findEntry(model).price;
  return {
    isBucketFull,
    records: createTaskRecords(db, clock),
    outbox: createOutbox(db),
    ledger: new CostLedger({ db, budgets, prices: priceOfModel, clock, logger }),
    openJournal: (task) => createTaskJournal(db, task.task_id),
  };
}

function makeFolders({ stateDir, worktreesDir, cacheDir }: WorkerFolders): void {
  for (const dir of [stateDir, worktreesDir, cacheDir]) {
    try {
      makeFolder(dir);
    } catch (cause) {
      throw toStorageError(cause, dir, dir === cacheDir ? 'worker.dataDir' : 'worker.stateDir');
    }
  }
}

/** Removes the empty folders of worktrees, so that they do not clutter the user's home. */
async function removeEmptyFolders({ stateDir, worktreesDir }: WorkerFolders): Promise<void> {
  if (worktreesDir.startsWith(stateDir)) return;
  await removeEmptyWarmFolders(worktreesDir);
  for (const folder of [join(worktreesDir, TRACKING_FOLDER_NAME), worktreesDir, dirname(worktreesDir)])
    await rmdir(folder).catch(() => undefined);
}

/** Ends the processes that a killed worker of this state folder left, and removes the temporary files of its commands. */
export async function killOrphans({ processMark }: WorkerFolders, logger: Logger): Promise<void> {
  const endedCount = await killMarkedProcesses(processMark);
  await removeMarkedScratch(processMark).catch((error: unknown) => {
    logger.warn({ reason: String(error) }, 'Temporary files of a killed worker could not be removed');
  });
  if (endedCount > 0)
    logger.warn({ processes: endedCount }, 'Stopped processes that a killed worker had started');
}
