/** Reading the ledger beside a running worker (`ollama-sidecar ledger`). */
import { openLedgerFile } from '../storage/state-database.ts';
import { createLedgerStore, type CallRow, type DayRow } from './ledger-store.ts';

interface LedgerQuery {
  taskId?: string;
  sinceMs?: number;
  /** Default 1000. */
  limit?: number;
}

interface LedgerContent {
  /** Newest first. */
  calls: CallRow[];
  /** Sums of the calls that are no longer kept one by one. */
  days: DayRow[];
}

/** The ledger of a state folder. Throws `StorageError`. */
export function readLedger(folder: string, query: LedgerQuery = {}): LedgerContent {
  const file = openLedgerFile(folder);
  try {
    const store = createLedgerStore(file);
    return { calls: store.calls(query), days: store.days(query) };
  } finally {
    file.close();
  }
}
