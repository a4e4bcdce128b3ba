/**
 * The databases of one state folder: `state.sqlite` (tasks, journal, outbox, history; survives a power cut)
 * and `ledger.sqlite` (spending; survives a killed process, and is written before each call of the model, where
 * waiting for the disk would cost more than the row is worth).
 */
import { join } from 'node:path';
import { openDatabaseFile, type DatabaseFile } from './database-file.ts';
import { ledgerSchema, stateSchema } from './schema.ts';

export interface StateDatabase {
  readonly state: DatabaseFile;
  readonly ledger: DatabaseFile;
  /** Safe to call twice. */
  close(): void;
}

/** Opens the databases of a folder; creates missing ones. Rejects with a `StorageError` (see `openSqliteFile`). */
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

/** Opens the ledger alone, for reading while a worker runs. */
export function openLedgerFile(folder: string): Promise<DatabaseFile> {
  const path = join(folder, 'ledger.sqlite');
  return openDatabaseFile({ path, schema: ledgerSchema, synchronous: 'normal' });
}
