/** Reading the ledger beside a running worker (`ollama-sidecar show --costs`). */
import { openLedgerFile } from '../storage/state-database.ts';
import { createLedgerStore, type CallQuery } from './ledger-store.ts';

/** The calls of a state folder's ledger, and sums of those that are no longer kept one by one. Throws `StorageError`. */
export function readLedger(folder: string, query: CallQuery = {}) {
  const file = openLedgerFile(folder);
  try {
    const store = createLedgerStore(file);
    return { calls: store.calls(query), days: store.days(query) };
  } finally {
    file.close();
  }
}
