/** The queue's contract on PostgreSQL, and what replicas that share it promise together. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Client } from 'pg';
import { eventually } from '../support/eventually.ts';
import { startHub } from '../../sidecar/hub/hub.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import { keptLog } from '../support/kept-log.ts';
import { postgresDatabases } from '../support/postgres-databases.ts';
import { describeWith } from '../support/requirements.ts';
import { testHub } from './hub-fixture.ts';
import { describeQueue } from './queue-contract.ts';
import { readStream } from './stream-reader.ts';

/** Looks into the database, or changes it, beside the hubs. */
async function beside(database: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await work(client);
  await client.end();
}

describeWith('postgresql', 'the queue on PostgreSQL', () => {
  const newDatabase = postgresDatabases();

  describeQueue(newDatabase);

  const earlier = readFileSync(join(import.meta.dirname, 'fixtures/schema-8.sql'), 'utf8');
  const restored = async (then = ''): Promise<string> => {
    const database = await newDatabase();
    await beside(database, (client) => client.query(earlier + then));
    return database;
  };

  test('hubs that start at once bring a database of the version before the first migration up, as a new one is', async () => {
    const tablesOf = async (database: string): Promise<unknown[]> => {
      let found: unknown[] = [];
      await beside(database, async (client) => {
        const columns =
          await client.query(`SELECT table_name, column_name, data_type, is_nullable, column_default
          FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`);
        const indexes = await client.query(`SELECT indexname, indexdef FROM pg_indexes
          WHERE schemaname = current_schema() AND indexname <> 'tasks_text' ORDER BY 1`);
        found = [...columns.rows, ...indexes.rows].map((row) =>
          JSON.stringify(row).replaceAll(/hub_\d+\./gu, ''),
        );
      });
      return found;
    };
    const [database, made] = [await restored(), await newDatabase()];
    const hubs = await Promise.all(
      [database, database, database, made].map((one) => testHub({ database: one })),
    );
    for (const hub of hubs.slice(0, 3)) expect((await hub.get('/api/tasks')).body.tasks).toHaveLength(3);
    const worker = await hubs[0]!.worker();
    await worker.next('task_assign');
    expect(await tablesOf(database)).toEqual(await tablesOf(made));
  });

  test.each([
    ['of another program', `COMMENT ON TABLE tasks IS 'schema 99'`, '(schema 99); move it away'],
    ['of a program without a number', `COMMENT ON TABLE tasks IS NULL`, '(schema unknown); move it away'],
    [
      'of a newer version',
      `CREATE TABLE kysely_migration (name TEXT); INSERT INTO kysely_migration VALUES ('hub-0099')`,
      '(migration hub-0099); update ollama-sidecar',
    ],
  ])('a database %s is refused with advice', async (_what, change, message) => {
    const database = await restored(change);
    await expect(startHub({ database })).rejects.toMatchObject({
      code: 'storage_other_schema',
      message: expect.stringContaining(message),
    });
  });

  test('a user who may not create extensions gets a hub that searches without an index, and is told the cure', async () => {
    const address = new URL(await newDatabase());
    await beside(address.href, async (client) => {
      const { rows } = await client.query('SELECT current_schema() AS schema');
      await client.query(`CREATE ROLE plain LOGIN; GRANT ALL ON SCHEMA ${rows[0].schema} TO plain`);
    });
    address.username = 'plain';
    const logger = keptLog();
    const hub = await testHub({ database: address.href, logger });
    const id = await hub.submit({ description: 'Fix the sum' });
    expect((await hub.get('/api/tasks?q=sum')).body.tasks).toMatchObject([{ task_id: id }]);
    expect(logger.shown).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining('a search reads every task'),
        cure: expect.stringContaining('CREATE EXTENSION'),
      }),
    );
  });

  describe('replicas', () => {
    async function replicas() {
      const database = await newDatabase();
      return [await testHub({ database }), await testHub({ database })] as const;
    }

    test('a token that one of them revokes ends the streams of the other', async () => {
      const [one, other] = await replicas();
      const { body: made } = await one.call('POST', '/api/tokens', { role: 'viewer', name: 'screen' });
      const headers = { authorization: `Bearer ${made.token}` };
      const stream = await fetch(`${other.hub.url}/api/events`, { headers });
      await one.call('DELETE', `/api/tokens/${made.id}`);
      expect(await stream.text()).toContain('retry:');
    });

    test('share the queue: every task is worked on exactly once', async () => {
      const [one, other] = await replicas();
      const workers = [
        await one.worker({ agentId: 'a', capacity: 4 }),
        await other.worker({ agentId: 'b', capacity: 4 }),
      ];
      const done: unknown[] = [];
      const total = 40;
      const finished = new Promise<void>((resolve) => {
        for (const worker of workers)
          worker.finishAll((taskId) => {
            if (done.push(taskId) === total) resolve();
          });
      });
      await Promise.all(Array.from({ length: total }, (_, index) => (index % 2 ? one : other).submit()));
      await finished;
      expect(new Set(done).size).toBe(total);
      expect((await one.get('/api/stats')).body.tasks.success).toBe(total);
      for (const worker of workers)
        expect(worker.types().filter((type) => type === 'task_assign').length).toBeGreaterThan(0);
    });

    test('end their workers’ connections where messages of the others may have been missed', async () => {
      const database = await newDatabase();
      const [one, other] = [await testHub({ database }), await testHub({ database })];
      const worker = await one.worker({ agentId: 'a' });
      const id = await other.submit();
      await worker.accept();
      await beside(database, (client) =>
        client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`,
        ),
      );
      await other.call('POST', `/api/tasks/${id}/cancel`, {});
      expect(await worker.whenClosed()).toMatchObject({ code: 1012 });
      const again = await one.worker({ agentId: 'a' });
      again.say('state_report', { task_id: id, status: 'working', generation: 1 });
      expect(await again.next('state_report_ack')).toMatchObject({ task_id: id, action: 'abort' });
    });

    test('outlive a connection that ends in the middle of a transaction', async () => {
      const logger = keptLog();
      const database = await openHubDatabase(await newDatabase(), logger);
      const lost = database.transaction(async (trx) => {
        await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(trx);
      });
      await expect(lost).rejects.toThrow(/terminat/iu);
      expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(database.db)).rows).toEqual([{ one: 1 }]);
      await database.close();
    });

    test('tell the worker that another one has just given a task to when it is cancelled', async () => {
      const database = await newDatabase();
      const [one, other] = [await testHub({ database }), await testHub({ database })];
      const worker = await one.worker({ agentId: 'a', labels: ['gpu'] });
      const id = await other.submit({ labels: ['none has it'] });
      // The other replica's assignment, not committed while the cancellation begins.
      const client = new Client({ connectionString: database });
      await client.connect();
      await client.query('BEGIN');
      await client.query(`UPDATE tasks SET status = 'assigned', worker_id = 'a' WHERE id = $1`, [id]);
      const cancelled = other.call('POST', `/api/tasks/${id}/cancel`, {});
      let isWaiting = false;
      await eventually(
        () => isWaiting,
        'the cancellation to wait for the row',
        async () => {
          isWaiting = (await client.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0;
        },
      );
      await client.query('COMMIT');
      await client.end();
      expect((await cancelled).status).toBe(200);
      expect(await worker.next('task_cancelled')).toMatchObject({ task_id: id });
    });

    test('count what each did itself; the figures of the queue are the same on both', async () => {
      const [one, other] = await replicas();
      const figures = async ({ hub }: typeof one) => {
        const headers = { authorization: `Bearer ${hub.tokens.admin}` };
        return (await fetch(`${hub.url}/metrics`, { headers })).text();
      };
      await one.submit();
      const worker = await other.worker({ agentId: 'b' });
      const assigned = await worker.accept();
      const [submitter, runner] = await Promise.all([figures(one), figures(other)]);
      for (const text of [submitter, runner])
        expect(text).toContain('\nsidecar_hub_tasks{status="running"} 1\n');
      expect(submitter).toMatch(
        /\nsidecar_hub_tasks_submitted_total 1\n[^]*\nsidecar_hub_assignments_total 0\n/u,
      );
      expect(runner).toMatch(
        /\nsidecar_hub_tasks_submitted_total 0\n[^]*\nsidecar_hub_assignments_total 1\n/u,
      );
      await worker.finish(assigned);
      expect(await figures(one)).toContain('{ending="success"} 0');
      expect(await figures(other)).toContain('{ending="success"} 1');
    });

    test('a stream on one replica shows what a worker on the other does, in the same order', async () => {
      const [one, other] = await replicas();
      const id = await one.submit();
      const streams = [
        readStream(one, `/api/tasks/${id}/events`),
        readStream(other, `/api/tasks/${id}/events`),
      ];
      const worker = await one.worker();
      const assigned = await worker.accept();
      for (let seq = 1; seq <= 20; seq += 1)
        worker.event(id, { event_type: 'status', text: `step ${seq}`, seq });
      worker.complete(assigned);
      const [here, there] = await Promise.all(
        streams.map((stream) => stream.until((event) => event.body.reason === 'completed')),
      );
      expect(there!.map(({ id: seq }) => seq)).toEqual(here!.map(({ id: seq }) => seq));
      expect(there!.filter(({ kind }) => kind === 'execution')).toHaveLength(20);
    });

    test('cancel, steer, approve and drain reach a worker on the other replica', async () => {
      const [one, other] = await replicas();
      const worker = await one.worker();
      const id = await other.submit();
      await worker.accept();
      await other.call('POST', `/api/tasks/${id}/steer`, { text: 'left' });
      expect(await worker.next('steer')).toMatchObject({ text: 'left' });
      worker.say('approval_request', { task_id: id, approval_id: 'q', kind: 'command', summary: 'rm -rf x' });
      await worker.ping();
      await other.call('POST', `/api/tasks/${id}/approvals`, { approval_id: 'q', decision: 'rejected' });
      expect(await worker.next('approval_response')).toMatchObject({ decision: 'rejected' });
      await other.call('POST', `/api/tasks/${id}/cancel`);
      await worker.next('task_cancelled');
      await other.call('POST', '/api/workers/worker-1/drain');
      await worker.next('drain');
    });

    test('a newer connection on one replica ends the older one on the other', async () => {
      const [one, other] = await replicas();
      const token = await one.hub.issueToken('worker', 'worker-1');
      const older = await one.worker({ token });
      const newer = await other.worker({ token });
      await older.whenClosed();
      const id = await one.submit();
      expect(await newer.next('task_assign')).toMatchObject({ task_id: id });
    });

    test('a task that one replica looks at and leaves goes to a worker of the other', async () => {
      const database = await newDatabase();
      const [one, other] = [await testHub({ database }), await testHub({ database })];
      const ids = [await one.submit({ model: 'x' }), await one.submit({ model: 'y' })];
      const models = ['x', 'y'];
      const slow = `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
        CREATE TRIGGER slow BEFORE UPDATE ON tasks FOR EACH ROW WHEN (NEW.worker_id = 'a') EXECUTE FUNCTION slow()`;
      await beside(database, async (client) => {
        await client.query(slow);
        const a = await one.worker({ agentId: 'a', models });
        const asleep = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
        let isAsleep = false;
        await eventually(
          () => isAsleep,
          'the assignment to a',
          async () => {
            isAsleep = (await client.query(asleep)).rowCount === 1;
          },
        );
        const b = await other.worker({ agentId: 'b', models });
        const given = [await a.next('task_assign'), await b.next('task_assign')];
        expect(given.map(({ task_id: id }) => id)).toEqual(ids);
      });
    });

    test('a message about an older connection that comes late does not end the newer one', async () => {
      const database = await newDatabase();
      const hub = await testHub({ database });
      const newer = await hub.worker();
      const messages = [
        { kind: 'replaced', agentId: 'worker-1', sessionId: 'older' },
        { kind: 'drain', agentId: 'worker-1', draining: true },
      ];
      const payload = JSON.stringify({ from: 'another replica', events: false, messages });
      await beside(database, (client) =>
        client.query('SELECT pg_notify($1, $2)', ['ollama_sidecar_hub', payload]),
      );
      await newer.next('drain');
      await newer.ping();
      expect((await hub.get('/api/workers')).body.workers).toMatchObject([{ connected: true }]);
    });

    test('a worker whose replica ended goes on at the other', async () => {
      const [one, other] = await replicas();
      const token = await one.hub.issueToken('worker', 'worker-1');
      const worker = await one.worker({ token });
      const id = await one.submit();
      const assigned = await worker.accept();
      await one.hub.close();
      const again = await other.worker({ token });
      again.say('state_report', { task_id: id, status: 'working', generation: assigned.generation });
      expect(await again.next('state_report_ack')).toMatchObject({ action: 'continue' });
      again.complete(assigned);
      expect(await again.next('task_ack')).toMatchObject({ status: 'complete' });
    });

    test('a delayed task that one replica took is started by the other', async () => {
      const [one, other] = await replicas();
      const worker = await other.worker();
      const id = await one.submit({ delay_ms: 300 });
      expect(await worker.next('task_assign')).toMatchObject({ task_id: id });
    });
  });
});
