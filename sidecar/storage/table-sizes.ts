/** How large a SQLite file and its tables are, read beside the process that has it open. Changes nothing. */
import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { storageError } from './storage-error.ts';

export interface TableSizes {
  /** Size of the file and its write-ahead log. */
  sizeBytes: number;
  /** Number of rows by table. */
  rows: Record<string, number>;
}

/** Undefined where there is no such file. Throws `StorageError`, also for a table that is not there. */
export function tableSizes(path: string, tables: readonly string[]): TableSizes | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return undefined;
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  let sql: Sqlite.Database | undefined;
  try {
    sql = new Sqlite(path, { readonly: true, fileMustExist: true });
    const rows: Record<string, number> = {};
    for (const table of tables) {
      rows[table] = Number(sql.prepare(`SELECT count(*) FROM "${table}"`).pluck().get());
    }
    return { sizeBytes: file.size + logBytes, rows };
  } catch (cause) {
    throw storageError(cause, path);
  } finally {
    sql?.close();
  }
}
