/** Changes that share a commit: each has its own outcome, and readers hear of them in their order. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import { submissionSchema, taskRow } from '../../sidecar/hub/queue/submission.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import type { HubDatabase } from '../../sidecar/hub/storage/hub-database.ts';
import type { EventRow } from '../../sidecar/hub/storage/tables.ts';
import { HubStore, isDiskFull } from '../../sidecar/hub/storage/unit-of-work.ts';
import type { HubMessage, UnitOfWork } from '../../sidecar/hub/storage/unit-of-work.ts';
import type { Leases } from '../../sidecar/hub/queue/leases.ts';
import { EventLog } from '../../sidecar/hub/stream/event-log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { postgresDatabases } from '../support/postgres-databases.ts';
import { describeWith } from '../support/requirements.ts';

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
  const { content: _content, ...task } = taskRow(submission, { now: 1, maxAttempts: 1, submittedBy: 'me' });
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
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
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
      log.progress(
        { taskId, agentId: 'a', assigned: { generation: 1 } },
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
  expect([isDiskFull(error), store.isFull]).toEqual([true, true]);
  await pages(1_000_000);
  await grow(1_000_000);
  expect(store.isFull).toBe(false);
});
