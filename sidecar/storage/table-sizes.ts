/** How large a SQLite file and its tables are. */
import { statSync } from 'node:fs';
import { readSqliteFile } from './sqlite-file.ts';

export interface TableSizes {
  /** Size of the file and its write-ahead log. */
  sizeBytes: number;
  /** Number of rows by table. */
  rows: Record<string, number>;
}

/** Undefined where there is no such file. Throws `StorageError`, also for a table that is not there. */
export function tableSizes(path: string, tables: readonly string[]): TableSizes | undefined {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return readSqliteFile(path, (sql) => ({
    sizeBytes: sizeOf(path) + sizeOf(`${path}-wal`),
    rows: Object.fromEntries(
      tables.map((table) => [table, Number(sql.prepare(`SELECT count(*) FROM "${table}"`).pluck().get())]),
    ),
  }));
}
