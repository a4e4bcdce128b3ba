/** Reading the ledger beside a running worker, and writing its rows as CSV (`ollama-sidecar ledger`). */
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

/** RFC 4180: a header line, CRLF, fields quoted where needed. Empty text for no rows. */
export function toCsv(rows: readonly object[]): string {
  const [first] = rows;
  if (!first) return '';
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((fields) => `${fields.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
