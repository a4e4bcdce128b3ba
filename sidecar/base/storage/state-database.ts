/**
 * Opens the databases of a state folder: `state.sqlite` (tasks, journal, outbox, history) survives a power
 * cut. `ledger.sqlite` (costs) survives only a killed process: it is written before each model call, where
 * waiting for the disk would cost too much time.
 */
import { join } from 'node:path';
import { openDatabaseFile, type DatabaseFile } from './database-file.ts';
import { ledgerSchema, stateSchema } from './schema.ts';

export interface StateDatabase {
  readonly state: DatabaseFile;
  readonly ledger: DatabaseFile;
  /** Closes both databases. May be called twice. */
  close(): void;
}

/**
 * Opens the databases of a folder and creates missing ones. Rejects with a `StorageError` (see
 * `openSqliteFile`).
 */
export async function openStateDatabase(folder: string): Promise<StateDatabase> {
  const path = join(folder, 'state.sqlite');
  const state = await openDatabaseFile({ path, schema: stateSchema, synchronous: 'full' });
  try {
    const ledger = await openLedgerFile(folder);
    const close = () => {
      state.close();
      ledger.close();
    };
    return { state, ledger, close };
  } catch (error) {
    state.close();
    throw error;
  }
}

/** Opens only the ledger, for reading it while a worker runs. */
export function openLedgerFile(folder: string): Promise<DatabaseFile> {
  const path = join(folder, 'ledger.sqlite');
  return openDatabaseFile({ path, schema: ledgerSchema, synchronous: 'normal' });
}
