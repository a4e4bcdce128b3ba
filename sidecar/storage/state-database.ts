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
  /** May be called twice. */
  close(): void;
}

/** Opens the folder's databases, made where they are missing. Throws `StorageError` (see `openDatabaseFile`). */
export function openStateDatabase(folder: string): StateDatabase {
  const state = openDatabaseFile({
    path: join(folder, 'state.sqlite'),
    schema: stateSchema,
    synchronous: 'full',
  });
  try {
    const ledger = openLedgerFile(folder);
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

/** The ledger alone, for reading it beside a running worker. */
export function openLedgerFile(folder: string): DatabaseFile {
  const path = join(folder, 'ledger.sqlite');
  return openDatabaseFile({ path, schema: ledgerSchema, synchronous: 'normal' });
}
