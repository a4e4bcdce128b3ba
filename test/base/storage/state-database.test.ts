import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { buildAddColumnStatements, textOrNull } from '../../../sidecar/base/storage/columns.ts';
import { openDatabaseFile } from '../../../sidecar/base/storage/database-file.ts';
import { createLedgerStore } from '../../../sidecar/worker/ledger/ledger-store.ts';
import { readHistory } from '../../../sidecar/base/storage/history.ts';
import { LogFlusher } from '../../../sidecar/base/storage/database-file.ts';
import { createOutbox } from '../../../sidecar/base/storage/outbox.ts';
import type { DatabaseSchema } from '../../../sidecar/base/storage/schema-state.ts';
import { openStateDatabase } from '../../../sidecar/base/storage/state-database.ts';
import { acquireStateLock, measureUnusedMs } from '../../../sidecar/base/storage/state-lock.ts';
import { createTaskJournal } from '../../../sidecar/base/storage/task-journal.ts';
import { createTaskRecords } from '../../../sidecar/base/storage/task-records.ts';
import { readProcessStart } from '../../../sidecar/base/system/owner-lock.ts';
import { acceptedJournal } from '../../support/accepted-journal.ts';
import { exitOf, outputOf, startProgram } from '../../support/child-program.ts';
import { tablesOf } from '../../support/tables-of.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const failure = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe('the state database', () => {
  const tempFolder = tempFolders();

  test('is made with its folder, keeps what was written and survives a power cut by its settings', async () => {
    const folder = join(tempFolder(), 'a', 'b');
    const db = await openStateDatabase(folder);
    expect(db.state.sql.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.state.sql.pragma('synchronous', { simple: true })).toBe(2);
    await acceptedJournal(db, 't').append([{ kind: 'answer', stage: 'run', round: 1, body: 'kept' }]);
    db.close();
    db.close();
    const again = await openStateDatabase(folder);
    expect(acceptedJournal(again, 't').read()).toHaveLength(1);
    again.close();
  });

  test('a file that is no database is set aside and named, and the next start begins anew', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'state.sqlite'), 'this is not a database, and never was one'.repeat(100));
    await expect(openStateDatabase(folder)).rejects.toEqual(failure('storage_corrupt', 'was renamed to'));
    const aside = readdirSync(folder).find((name) => name.startsWith('state.sqlite.corrupt-'));
    expect(aside).toBeDefined();
    expect(statSync(join(folder, aside ?? '')).size).toBeGreaterThan(1000);
    (await openStateDatabase(folder)).close();
  });

  test('a damaged page is found at start', async () => {
    const folder = tempFolder();
    const db = await openStateDatabase(folder);
    const journal = acceptedJournal(db, 't');
    for (let round = 1; round <= 200; round += 1) {
      await journal.append([{ kind: 'answer', stage: 'run', round, body: 'x'.repeat(500) }]);
    }
    db.close();
    const file = openSync(join(folder, 'state.sqlite'), 'r+');
    for (let page = 8; page < 20; page += 1) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
    closeSync(file);
    await expect(openStateDatabase(folder)).rejects.toEqual(
      expect.objectContaining({ code: 'storage_corrupt' }),
    );
    expect(existsSync(join(folder, 'state.sqlite'))).toBe(false);
  });

  test('a task that is removed takes its journal with it, and none is written for one that is not there', async () => {
    const db = await openStateDatabase(tempFolder());
    const journal = acceptedJournal(db, 't');
    const entry = { kind: 'answer' as const, stage: 'run', round: 1, body: 'x' };
    await journal.append([entry]);
    db.state.sql.prepare('DELETE FROM tasks').run();
    expect(journal.read()).toEqual([]);
    expect(() => journal.append([entry])).toThrow('FOREIGN KEY');
    db.close();
  });

  test('a folder that cannot be written says so', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    const state = join(folder, 'file', 'state');
    await expect(openStateDatabase(state)).rejects.toEqual(failure('storage_read_only', 'worker.stateDir'));
  });

  test('a full disk is an error with its own code, and what was written before is still there', async () => {
    const folder = tempFolder();
    const db = await openStateDatabase(folder);
    const journal = acceptedJournal(db, 't');
    const entry = (round: number) => [
      { kind: 'answer' as const, stage: 'run', round, body: 'x'.repeat(100_000) },
    ];
    await journal.append(entry(1));
    db.state.sql.pragma(
      `max_page_count = ${Number(db.state.sql.pragma('page_count', { simple: true })) + 3}`,
    );
    expect(() => journal.append(entry(2))).toThrow(failure('storage_disk_full', 'disk is full'));
    expect(journal.read()).toHaveLength(1);
    db.close();
  });
});

describe('migrations', () => {
  const tempFolder = tempFolders();
  const first = { legacyVersion: 3, migrations: { 'a-1': ['CREATE TABLE IF NOT EXISTS t (a TEXT)'] } };
  const second = (...statements: string[]) => ({
    ...first,
    migrations: {
      ...first.migrations,
      'a-2': [...buildAddColumnStatements({ t: { b: textOrNull } }, 'sqlite'), ...statements],
    },
  });
  const open = (path: string, schema: DatabaseSchema) =>
    openDatabaseFile({ path, schema, synchronous: 'full' });
  const earlier = (folder: string, name = 'state') => {
    const path = join(folder, `${name}.sqlite`);
    cpSync(join(import.meta.dirname, `fixtures/${name}-3.sqlite`), path);
    return path;
  };

  test('files of the version before the first migration come up with all rows, and as new ones are', async () => {
    const [folder, fresh] = [tempFolder(), tempFolder()];
    earlier(folder);
    earlier(folder, 'ledger');
    expect(await readHistory(folder, { limit: 9 })).toMatchObject([{ taskId: 'ended', delivery: 'pending' }]);
    const [db, made] = [await openStateDatabase(folder), await openStateDatabase(fresh)];
    const running = { task: { description: 'Add a command for reports' }, generation: 2, state: 'running' };
    expect(createTaskRecords(db).listUnfinished()).toMatchObject([running]);
    expect(createTaskJournal(db, 'running').read()).toMatchObject([{ body: 'an answer', usedMs: 5 }]);
    expect(createOutbox(db).listPending()).toMatchObject([{ frame: { task_id: 'ended', error: 'no' } }]);
    expect(createLedgerStore(db.ledger).readCalls({})).toMatchObject([{ taskId: 'running', tokensIn: 10 }]);
    for (const file of ['state', 'ledger'] as const)
      expect(tablesOf(db[file].sql)).toEqual(tablesOf(made[file].sql));
    db.close();
    made.close();
  });

  test('one migration brings a file up, however many open it at once, and an earlier program refuses it', async () => {
    const path = join(tempFolder(), 'a.sqlite');
    const old = await open(path, first);
    old.sql.exec("INSERT INTO t VALUES ('kept')");
    old.close();
    for (const file of await Promise.all([1, 2, 3].map(() => open(path, second())))) {
      expect(file.sql.prepare('SELECT * FROM t').all()).toEqual([{ a: 'kept', b: null }]);
      file.close();
    }
    await expect(open(path, first)).rejects.toEqual(
      failure(
        'storage_other_schema',
        'a newer version of ollama-sidecar wrote it (migration a-2); update ollama-sidecar',
      ),
    );
  });

  test('a migration that fails leaves the file as it was', async () => {
    const path = join(tempFolder(), 'a.sqlite');
    (await open(path, first)).close();
    await expect(open(path, second('INSERT INTO missing VALUES (1)'))).rejects.toThrow('missing');
    (await open(path, first)).close();
    (await open(path, second())).close();
  });

  test.each([99, 2, 0])('a file of another program (number %s) is refused and left alone', async (number) => {
    const folder = tempFolder();
    const raw = new Sqlite(earlier(folder));
    raw.pragma(`user_version = ${number}`);
    raw.close();
    const refused = failure('storage_other_schema', `before 0.1 (schema ${number}); move it away`);
    await expect(openStateDatabase(folder)).rejects.toEqual(refused);
    await expect(readHistory(folder, { limit: 1 })).rejects.toEqual(refused);
    expect(existsSync(join(folder, 'state.sqlite'))).toBe(true);
  });
});

const locked = expect.objectContaining({ code: 'storage_locked' });
const holder = `
  import { acquireStateLock } from './sidecar/base/storage/state-lock.ts';
  acquireStateLock(process.argv[2]);
  process.on('SIGTERM', () => process.exit(0));
  console.log('held');
  setInterval(() => {}, 1000);`;

describe('the lock of a state folder', () => {
  const tempFolder = tempFolders();

  test('is taken once, and free again after its release', () => {
    const folder = join(tempFolder(), 'state');
    const lock = acquireStateLock(folder);
    expect(() => acquireStateLock(folder)).toThrow(locked);
    expect(() => acquireStateLock(folder)).toThrow(`process ${process.pid} on`);
    lock.release();
    lock.release();
    acquireStateLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('tells how long no worker has had the folder: since one lived, was killed, or ended', () => {
    const folder = join(tempFolder(), 'state');
    expect(measureUnusedMs(folder)).toBe(Infinity);
    const lock = acquireStateLock(folder);
    const long = new Date(Date.now() - 3_600_000);
    utimesSync(folder, long, long);
    expect(measureUnusedMs(folder)).toBeLessThan(60_000);
    utimesSync(join(folder, 'worker.lock'), long, long);
    expect(measureUnusedMs(folder)).toBeGreaterThan(3_599_000);
    lock.release();
    expect(measureUnusedMs(folder)).toBeLessThan(60_000);
    writeFileSync(join(folder, 'file'), '');
    expect(measureUnusedMs(join(folder, 'file'))).toBe(0);
  });

  test('a killed worker does not keep it; one that exits removes it', async () => {
    const folder = tempFolder();
    const state = join(folder, 'state');
    const killed = startProgram(holder, folder, [state]);
    const killedExit = exitOf(killed);
    await outputOf(killed, 'held');
    expect(() => acquireStateLock(state)).toThrow(`process ${killed.pid} on`);
    killed.kill('SIGKILL');
    await killedExit;
    expect(existsSync(join(state, 'worker.lock'))).toBe(true);
    acquireStateLock(state).release();

    const polite = startProgram(holder, folder, [state]);
    const politeExit = exitOf(polite);
    await outputOf(polite, 'held');
    polite.kill('SIGTERM');
    await politeExit;
    expect(existsSync(join(state, 'worker.lock'))).toBe(false);
  });

  test('a process id that now belongs to another process does not count', () => {
    const folder = tempFolder();
    const owner = { pid: process.pid, began: 'another boot:1', host: hostname(), token: 'x' };
    writeFileSync(join(folder, 'worker.lock'), JSON.stringify(owner));
    acquireStateLock(folder).release();
    writeFileSync(
      join(folder, 'worker.lock'),
      JSON.stringify({ ...owner, began: readProcessStart(process.pid) }),
    );
    expect(() => acquireStateLock(folder)).toThrow(locked);
  });

  test.each([
    ['an owner on another host', JSON.stringify({ pid: 1, host: 'elsewhere', token: 'x' })],
    ['a file that cannot be read', 'half a fi'],
  ])('%s holds it while the file is being touched', (_what, text) => {
    const folder = tempFolder();
    const path = join(folder, 'worker.lock');
    writeFileSync(path, text);
    expect(() => acquireStateLock(folder)).toThrow(locked);
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(path, longAgo, longAgo);
    const lock = acquireStateLock(folder);
    expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
    lock.release();
  });

  test('a release leaves a lock alone that somebody else has taken since', () => {
    const folder = tempFolder();
    const lock = acquireStateLock(folder);
    const path = join(folder, 'worker.lock');
    writeFileSync(path, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'other' }));
    lock.release();
    expect(existsSync(path)).toBe(true);
  });
});

/** Prompts, answers and code are in the databases: no other user may read them. */
describe('private files', () => {
  const folder = tempFolders();
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  test('a database and the files beside it are for this user only, an older one too', async () => {
    const path = join(folder(), 'made/state.sqlite');
    const options = {
      path,
      schema: { legacyVersion: 1, migrations: { first: ['CREATE TABLE t (a TEXT)'] } },
      synchronous: 'full' as const,
    };
    const file = await openDatabaseFile(options);
    file.guard(() => file.sql.exec("INSERT INTO t VALUES ('a')"));
    expect([modeOf(join(path, '..')), modeOf(path), modeOf(`${path}-wal`)]).toEqual([0o700, 0o600, 0o600]);
    file.close();
    chmodSync(path, 0o644);
    (await openDatabaseFile(options)).close();
    expect(modeOf(path)).toBe(0o600);
  });
});

describe('waiting for the disk beside the work', () => {
  const tempFolder = tempFolders();
  const logFile = () => {
    const path = join(tempFolder(), 'db-wal');
    writeFileSync(path, 'written');
    return path;
  };

  test('who comes during a flush shares the next one', async () => {
    const log = new LogFlusher(logFile());
    const first = log.waitForFlush();
    const [second, third] = [log.waitForFlush(), log.waitForFlush()];
    expect(second).toBe(third);
    expect(second).not.toBe(first);
    await Promise.all([first, second]);
    await log.waitForFlush();
    log.close();
  });

  test('who is in no hurry is done with the next flush, or begins one when none comes', async () => {
    const log = new LogFlusher(logFile());
    const patient = log.waitForSharedFlush(1);
    await log.waitForFlush();
    await patient;
    await log.waitForSharedFlush(1);
    log.close();
  });

  test('is closed in the middle of a flush, and twice', async () => {
    const log = new LogFlusher(logFile());
    const waits = [log.waitForFlush(), log.waitForFlush()];
    log.close();
    log.close();
    await Promise.all(waits);
  });

  test('tells a log that cannot be flushed to everybody who waits', async () => {
    const log = new LogFlusher(join(tempFolder(), 'missing'));
    const waits = await Promise.allSettled([log.waitForFlush(), log.waitForFlush()]);
    expect(waits.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    log.close();
  });
});
