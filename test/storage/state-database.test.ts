import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readHistory } from '../../sidecar/storage/history.ts';
import { openStateDatabase } from '../../sidecar/storage/state-database.ts';
import { acceptedJournal } from '../support/accepted-journal.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('the state database', () => {
  const tempFolder = tempFolders();

  test('is made with its folder, keeps what was written and survives a power cut by its settings', () => {
    const folder = join(tempFolder(), 'a', 'b');
    const db = openStateDatabase(folder);
    expect(db.state.sql.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.state.sql.pragma('synchronous', { simple: true })).toBe(2);
    acceptedJournal(db, 't').append([{ kind: 'answer', stage: 'run', round: 1, call: 0, body: 'kept' }]);
    db.close();
    db.close();
    const again = openStateDatabase(folder);
    expect(acceptedJournal(again, 't').read('run')).toHaveLength(1);
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
    const journal = acceptedJournal(db, 't');
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

  test.each([99, 2, 0])('a file of another version (%s) is refused with advice and left alone', (version) => {
    const folder = tempFolder();
    openStateDatabase(folder).close();
    const raw = new Sqlite(join(folder, 'state.sqlite'));
    raw.pragma(`user_version = ${version}`);
    raw.close();
    const refused = expect.objectContaining({
      code: 'storage_other_schema',
      message: expect.stringMatching(
        new RegExp(
          `\\(schema ${version}, this one has \\d+\\); use that version, or .* move this one away`,
          'u',
        ),
      ),
    });
    expect(() => openStateDatabase(folder)).toThrow(refused);
    expect(() => readHistory(folder, { limit: 1 })).toThrow(refused);
    expect(existsSync(join(folder, 'state.sqlite'))).toBe(true);
  });

  test('a task that is removed takes its journal with it, and none is written for one that is not there', () => {
    const db = openStateDatabase(tempFolder());
    const journal = acceptedJournal(db, 't');
    const entry = { kind: 'answer' as const, stage: 'run', round: 1, call: 0, body: 'x' };
    journal.append([entry]);
    db.state.sql.prepare('DELETE FROM tasks').run();
    expect(journal.read('run')).toEqual([]);
    expect(() => journal.append([entry])).toThrow('FOREIGN KEY');
    db.close();
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
    const journal = acceptedJournal(db, 't');
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
