/** Prompts, answers and code are in the databases: no other user may read them. */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openDatabaseFile } from '../../sidecar/storage/database-file.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a database and the files beside it are for this user only, an older one too', () => {
  const path = join(folder(), 'made/state.sqlite');
  const options = {
    path,
    schema: { version: 1, tables: 'CREATE TABLE t (a TEXT)' },
    synchronous: 'full' as const,
  };
  const file = openDatabaseFile(options);
  file.guard(() => file.sql.exec("INSERT INTO t VALUES ('a')"));
  expect([modeOf(join(path, '..')), modeOf(path), modeOf(`${path}-wal`)]).toEqual([0o700, 0o600, 0o600]);
  file.close();
  chmodSync(path, 0o644);
  openDatabaseFile(options).close();
  expect(modeOf(path)).toBe(0o600);
});
