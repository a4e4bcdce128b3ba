import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { startHub } from '../../sidecar/hub/hub.ts';
import type { Leases } from '../../sidecar/hub/queue/leases.ts';
import { submissionSchema, createTaskRow } from '../../sidecar/hub/queue/submission.ts';
import type { HubDatabase } from '../../sidecar/hub/storage/hub-database.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import type { EventRow } from '../../sidecar/hub/storage/tables.ts';
import {
  HubStore,
  isDiskFull,
  type HubMessage,
  type UnitOfWork,
} from '../../sidecar/hub/storage/unit-of-work.ts';
import { EventLog } from '../../sidecar/hub/stream/event-log.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { openStateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { postgresDatabases } from '../support/postgres-databases.ts';
import { describeWith } from '../support/requirements.ts';
import { scaled } from '../support/scale.ts';
import { tablesOf } from '../support/tables-of.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub, type Json } from './hub-fixture.ts';
import { startHubProcess } from './hub-process.ts';
import { SimulatedWorker, type Heard } from './simulated-worker.ts';

/** Changes that share a commit: each has its own outcome, and readers hear of them in their order. */
describe('unit of work', () => {
  let database: HubDatabase;
  afterEach(() => database.close());

  async function openStore(address: string) {
    database = await openHubDatabase(address, silentLogger);
    const published: EventRow[] = [];
    const told: HubMessage[] = [];
    const store = new HubStore(database, {
      listen: () => Promise.resolve(),
      close: () => Promise.resolve(),
      afterCommit: (events, messages) => {
        published.push(...events);
        told.push(...messages);
      },
    });
    const submission = submissionSchema.parse({ description: 'The task of all events' });
    const { content: _content, ...task } = createTaskRow(submission, {
      now: 1,
      maxAttempts: 1,
      submittedBy: 'me',
    });
    await database.db
      .insertInto('tasks')
      .values({ ...task, id: 't' })
      .execute();
    return { store, published, told };
  }

  const event = (name: string) => ({ task_id: 't', at: 1, generation: 1, kind: 'task' as const, body: name });
  async function change(unit: UnitOfWork, name: string): Promise<string> {
    await unit.trx
      .insertInto('tokens')
      .values({ id: name, lookup: name, hash: name, name, role: 'viewer', agent_id: null, created_at: 1 })
      .execute();
    unit.record(event(name));
    unit.announce({ kind: 'worker', agentId: name });
    return name;
  }

  function describeStore(newDatabase: () => Promise<string>): void {
    test('one that fails takes back itself alone', async () => {
      const { store, published, told } = await openStore(await newDatabase());
      const outcomes = await Promise.allSettled([
        store.run((unit) => change(unit, 'a')),
        store.run(async (unit) => {
          await change(unit, 'b');
          throw new Error('no');
        }),
        store.run((unit) => change(unit, 'a')),
        store.run((unit) => change(unit, 'c')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      const rows = await store.db.selectFrom('tokens').select('hash').orderBy('hash').execute();
      expect(rows.map(({ hash }) => hash)).toEqual(['a', 'c']);
      expect(published.map(({ body }) => body)).toEqual(['a', 'c']);
      expect(told).toHaveLength(2);
      await expect(store.run((unit) => change(unit, 'd'))).resolves.toBe('d');
    });

    test('events of a task that is gone take none of another task with them', async () => {
      const { store, published } = await openStore(await newDatabase());
      const leases = { renew: () => Promise.resolve() } as unknown as Leases;
      const log = new EventLog({ store, leases, clock: new ManualClock(), logger: silentLogger });
      for (const taskId of ['gone', 't'])
        log.recordProgress(
          { taskId, workerId: 'a', assigned: { generation: 1 } },
          { events: [{ event_type: 'status', text: taskId }] },
        );
      await log.flush();
      expect(published.map(({ task_id }) => task_id)).toEqual(['t']);
    });

    test('events are numbered in the order in which they were recorded, however many there are', async () => {
      const { store, published } = await openStore(await newDatabase());
      const names = Array.from({ length: 1_300 }, (_, index) => `t${index}`);
      await store.run((unit) => Promise.resolve(names.forEach((name) => unit.record(event(name)))));
      await store.run((unit) => Promise.resolve(unit.record(event('last'))));
      expect(published.map(({ body }) => body)).toEqual([...names, 'last']);
      const stored = await store.db.selectFrom('events').select(['id', 'body']).orderBy('id').execute();
      expect(stored).toEqual(published.map(({ id, body }) => ({ id, body })));
    });
  }

  describe('changes on SQLite', () => describeStore(() => Promise.resolve(':memory:')));

  describeWith('postgresql', 'changes on PostgreSQL', () => {
    describeStore(postgresDatabases());
  });

  test('a full disk is known until a change is stored again', async () => {
    const { store } = await openStore(':memory:');
    const pages = async (count: number): Promise<void> => {
      await sql`PRAGMA max_page_count = ${sql.raw(String(count))}`.execute(database.db);
    };
    const grow = (size: number): Promise<unknown> =>
      store.run((unit) => Promise.resolve(unit.record({ ...event('x'), body: 'x'.repeat(size) })));
    await pages(1);
    const error: unknown = await grow(1_000_000).catch((thrown: unknown) => thrown);
    expect([isDiskFull(error), store.hasFullDisk]).toEqual([true, true]);
    await pages(1_000_000);
    await grow(1_000_000);
    expect(store.hasFullDisk).toBe(false);
  });

  test('what SQLite has rolled back by itself fails with its own error', async () => {
    const { store } = await openStore(':memory:');
    const twice = store.run(async (unit) => {
      await change(unit, 'one');
      await sql`INSERT OR ROLLBACK INTO tokens SELECT * FROM tokens`.execute(unit.trx);
    });
    await expect(twice).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) });
    await store.run((unit) => Promise.resolve(unit.record(event('after'))));
  });
});

/** A queue in a SQLite file belongs to one hub at a time. */
describe('the lock of a hub’s SQLite file', () => {
  const tempFolder = tempFolders();
  const locked = expect.objectContaining({
    code: 'hub_database_locked',
    message: expect.stringContaining(`process ${process.pid} on`),
  });

  test('a second hub is refused, by whatever path, until the first one is closed', async () => {
    const folder = tempFolder();
    const database = join(folder, 'hub.sqlite');
    const first = await testHub({ database });
    symlinkSync(database, join(folder, 'other.sqlite'));
    await expect(startHub({ database })).rejects.toEqual(locked);
    await expect(startHub({ database: join(folder, 'other.sqlite') })).rejects.toEqual(locked);
    await first.close();
    await testHub({ database });
  });

  test('a start that fails leaves it free', async () => {
    const folder = tempFolder();
    const database = join(folder, 'hub.sqlite');
    mkdirSync(database);
    await expect(startHub({ database })).rejects.toMatchObject({
      code: 'storage_read_only',
    });
    expect(readdirSync(folder)).toEqual(['hub.sqlite']);
  });

  test('hubs in memory do not meet', async () => {
    await testHub();
    await testHub();
  });
});

/** The hub's SQLite file is opened by the same rules as the worker's. */
describe('damaged database', () => {
  const tempFolder = tempFolders();

  test('a damaged file is set aside and named; the next start begins with an empty one, for its owner alone', async () => {
    const folder = tempFolder();
    const database = join(folder, 'hub.sqlite');
    const before = await testHub({ database });
    await before.submit();
    await before.close();
    const bytes = readFileSync(database);
    bytes.fill('damage ', 4096);
    writeFileSync(database, bytes);
    await expect(startHub({ database })).rejects.toMatchObject({
      code: 'storage_corrupt',
      message: expect.stringMatching(/is damaged and was renamed to .*hub\.sqlite\.corrupt-/u),
    });
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^hub\.sqlite\.corrupt-/u)]);
    const hub = await testHub({ database });
    expect((await hub.get('/api/tasks')).body.tasks).toEqual([]);
    expect(statSync(database).mode & 0o777).toBe(0o600);
  });

  test('a file that is no database stays where it is', async () => {
    const database = join(tempFolder(), 'notes.txt');
    const notes = 'Somebody else needs this. '.repeat(100);
    writeFileSync(database, notes);
    await expect(startHub({ database })).rejects.toMatchObject({ code: 'storage_corrupt' });
    expect(readFileSync(database, 'utf8')).toBe(notes);
  });

  test('a file of the version before the first migration comes up with all rows, and as a new one is', async () => {
    const folder = tempFolder();
    const [database, made] = [join(folder, 'hub.sqlite'), join(folder, 'new.sqlite')];
    cpSync(join(import.meta.dirname, 'fixtures/schema-8.sqlite'), database);
    const hub = await testHub({ database });
    expect((await hub.get('/api/tasks?q=command')).body.tasks).toMatchObject([{ status: 'running' }]);
    expect((await hub.get('/api/tasks')).body.tasks).toHaveLength(3);
    expect((await hub.get('/api/tokens')).body.tokens).toContainEqual(
      expect.objectContaining({ role: 'viewer' }),
    );
    await hub.close();
    await (await testHub({ database: made })).close();
    const [old, fresh] = [database, made].map((path) => {
      const file = new Database(path);
      const tables = tablesOf(file);
      file.close();
      return tables;
    });
    expect(old).toEqual(fresh);
  });

  test('the database of a worker is refused', async () => {
    const folder = tempFolder();
    (await openStateDatabase(folder)).close();
    await expect(startHub({ database: join(folder, 'state.sqlite') })).rejects.toMatchObject({
      code: 'storage_other_schema',
      message: expect.stringContaining('or use another database'),
    });
  });
});

/** A hub that is killed without warning: what it acknowledged is there when it comes back. */
describe('killed hub', () => {
  const rounds = scaled({ quick: 2, full: 10 });
  const folder = tempFolders();

  async function get(url: string): Promise<Json> {
    return (await fetch(url, { headers: { authorization: 'Bearer admin-token' } })).json();
  }

  test('loses no task it answered for and no result it acknowledged, and gives no finished task out again', async () => {
    const database = join(folder(), 'hub.db');
    const submitted = new Set<string>();
    const acknowledged = new Set<unknown>();
    let port = 0;
    for (let round = 0; round < rounds; round += 1) {
      const hub = await startHubProcess(database, port);
      ({ port } = hub);
      const worker = await SimulatedWorker.join(hub.wsUrl, { token: 'worker-token', capacity: 3 });
      const doubled: unknown[] = [];
      worker.socket.on('message', (data) => {
        const frame = JSON.parse((data as Buffer).toString()) as Heard;
        if (frame.type === 'task_assign') {
          if (acknowledged.has(frame.task_id)) doubled.push(frame.task_id);
          worker.say('task_accepted', { task_id: frame.task_id });
          worker.complete(frame);
        }
        if (frame.type === 'task_ack' && frame.status === 'complete') acknowledged.add(frame.task_id);
      });
      const submitting = Array.from({ length: 30 }, async () => {
        const response = await fetch(`${hub.url}/api/tasks`, {
          method: 'POST',
          headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
          body: JSON.stringify({ description: 'survive' }),
        });
        const { task_id: id }: Json = await response.json();
        submitted.add(id as string);
      });
      // The kill comes in the middle: some submissions are answered, some results are acknowledged.
      await worker.next('task_ack', { status: 'complete' });
      await hub.kill();
      await Promise.allSettled(submitting);
      await worker.whenClosed();
      expect(doubled).toEqual([]);
    }
    const hub = await startHubProcess(database, port);
    expect(await get(`${hub.url}/api/workers`)).toMatchObject({ workers: [{ connected: false }] });
    for (const id of submitted)
      expect(await get(`${hub.url}/api/tasks/${id}`)).toMatchObject({ task_id: id });
    for (const id of acknowledged) {
      expect(await get(`${hub.url}/api/tasks/${String(id)}`)).toMatchObject({ status: 'success' });
    }
    expect(submitted.size).toBeGreaterThan(0);
    expect(acknowledged.size).toBeGreaterThan(0);
    await hub.kill();
  });
});
