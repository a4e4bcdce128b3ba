import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStateDatabase } from '../../sidecar/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/storage/task-journal.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('the state database', () => {
  const tempFolder = tempFolders();

  test('is made with its folder, keeps what was written and survives a power cut by its settings', () => {
    const folder = join(tempFolder(), 'a', 'b');
    const db = openStateDatabase(folder);
    expect(db.state.sql.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.state.sql.pragma('synchronous', { simple: true })).toBe(2);
    createTaskJournal(db, 't', 1).append([{ kind: 'answer', stage: 'run', round: 1, call: 0, body: 'kept' }]);
    db.close();
    db.close();
    const again = openStateDatabase(folder);
    expect(createTaskJournal(again, 't', 1).read('run')).toHaveLength(1);
    again.close();
  });

  test('a file that is no database is set aside and named, and the next start begins anew', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'state.sqlite'), 'this is not a database, and never was one'.repeat(100));
    expect(() => openStateDatabase(folder)).toThrow(
      expect.objectContaining({ code: 'storage_corrupt', message: expect.stringContaining('set aside as') }),
    );
    const aside = readdirSync(folder).find((name) => name.startsWith('state.sqlite.corrupt-'));
    expect(aside).toBeDefined();
    expect(statSync(join(folder, aside ?? '')).size).toBeGreaterThan(1000);
    openStateDatabase(folder).close();
  });

  test('a damaged page is found at start', () => {
    const folder = tempFolder();
    const db = openStateDatabase(folder);
    const journal = createTaskJournal(db, 't', 1);
    for (let round = 1; round <= 200; round += 1) {
      journal.append([{ kind: 'answer', stage: 'run', round, call: 0, body: 'x'.repeat(500) }]);
    }
    db.close();
    const file = openSync(join(folder, 'state.sqlite'), 'r+');
    for (let page = 8; page < 20; page += 1) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
    closeSync(file);
    expect(() => openStateDatabase(folder)).toThrow(expect.objectContaining({ code: 'storage_corrupt' }));
    expect(existsSync(join(folder, 'state.sqlite'))).toBe(false);
  });

  test('a file of a newer version is left alone', () => {
    const folder = tempFolder();
    openStateDatabase(folder).close();
    const raw = new Sqlite(join(folder, 'state.sqlite'));
    raw.pragma('user_version = 99');
    raw.close();
    expect(() => openStateDatabase(folder)).toThrow(
      expect.objectContaining({ code: 'storage_newer_schema' }),
    );
    expect(existsSync(join(folder, 'state.sqlite'))).toBe(true);
  });

  test('a folder that cannot be written says so', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => openStateDatabase(join(folder, 'file', 'state'))).toThrow(
      expect.objectContaining({
        code: 'storage_read_only',
        message: expect.stringContaining('worker.stateDir'),
      }),
    );
  });

  test('a full disk is an error with its own code, and what was written before is still there', () => {
    const folder = tempFolder();
    const db = openStateDatabase(folder);
    const journal = createTaskJournal(db, 't', 1);
    const entry = (round: number) => [
      { kind: 'answer' as const, stage: 'run', round, call: 0, body: 'x'.repeat(100_000) },
    ];
    journal.append(entry(1));
    db.state.sql.pragma(
      `max_page_count = ${Number(db.state.sql.pragma('page_count', { simple: true })) + 3}`,
    );
    expect(() => journal.append(entry(2))).toThrow(
      expect.objectContaining({
        code: 'storage_disk_full',
        message: expect.stringContaining('disk is full'),
      }),
    );
    expect(journal.read('run')).toHaveLength(1);
    db.close();
  });
});
