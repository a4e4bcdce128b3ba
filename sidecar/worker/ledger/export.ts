/** Reads the ledger while a worker runs (`ollama-sidecar show --costs`). */
import { openLedgerFile } from '../../base/storage/state-database.ts';
import { createLedgerStore, type CallQuery } from './ledger-store.ts';

/** Returns the calls of a state folder's ledger, and the daily sums of pruned ones. Rejects with a `StorageError`. */
export async function readLedger(folder: string, query: CallQuery = {}) {
  const file = await openLedgerFile(folder);
  try {
    const store = createLedgerStore(file);
    return { calls: store.readCalls(query), days: store.readDays(query) };
  } finally {
    file.close();
  }
}
