import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { openDatabaseFile } from '../../sidecar/storage/database-file.ts';
import { tempFolders } from '../support/temp-folder.ts';

const first = 'CREATE TABLE results (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;';
const second = 'ALTER TABLE results ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;';

describe('a database of an older schema', () => {
  const tempFolder = tempFolders();
  const open = (folder: string, migrations: readonly string[]) =>
    openDatabaseFile({ path: join(folder, 'd.sqlite'), migrations, synchronous: 'full' });
  const withOneResult = (): string => {
    const folder = tempFolder();
    const db = open(folder, [first]);
    db.transaction(() => db.sql.prepare("INSERT INTO results (text) VALUES ('kept')").run());
    db.close();
    return folder;
  };

  test('is brought up to date with all that is in it', () => {
    const folder = withOneResult();
    const db = open(folder, [first, second]);
    expect(db.sql.prepare('SELECT * FROM results').all()).toEqual([{ id: 1, text: 'kept', attempts: 0 }]);
    expect(db.sql.pragma('user_version', { simple: true })).toBe(2);
    db.close();
    expect(() => open(folder, [first])).toThrow(expect.objectContaining({ code: 'storage_newer_schema' }));
  });

  test('stays as it was when a step of that fails', () => {
    const folder = withOneResult();
    expect(() => open(folder, [first, second, 'DROP TABLE nothing_of_the_kind;'])).toThrow();
    const db = open(folder, [first]);
    expect(db.sql.prepare('SELECT * FROM results').all()).toEqual([{ id: 1, text: 'kept' }]);
    expect(db.sql.pragma('user_version', { simple: true })).toBe(1);
    db.close();
  });
});
