import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { countOf, isLong } from '../support/scale.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub, type Json, type TestHub } from './hub-fixture.ts';
import { readStream } from './stream-reader.ts';

/** Many events to many dashboards: all of them, in order. The benches measure how soon. */
const eventsPerSecond = isLong ? 5_000 : 1_000;
const dashboards = isLong ? 20 : 5;
const seconds = isLong ? 4 : 1;

test(`${eventsPerSecond} events a second reach ${dashboards} dashboards, all and in order`, async () => {
  const hub = await testHub({ framesPerMinute: 1e9 });
  const { worker, id, assigned } = await hub.running();
  const streams = Array.from({ length: dashboards }, () => readStream(hub, '/api/events?after=0'));
  await Promise.all(streams.map((stream) => stream.until((event) => event.body.reason === 'accepted')));
  const total = eventsPerSecond * seconds;
  const start = performance.now();
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * eventsPerSecond));
    for (; sent < due; sent += 1) {
      worker.event(id, { event_type: 'token', text: 'word ', seq: sent + 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  worker.complete(assigned);
  const all = await Promise.all(
    streams.map((stream) => stream.until((event) => event.body.reason === 'completed')),
  );
  for (const events of all) {
    const seqs = events
      .filter(({ kind }) => kind === 'execution')
      .map(({ body }: Json) => body.seq as number);
    expect(seqs).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  }
  for (const stream of streams) stream.close();
});

test('a long queue goes through many workers, each task exactly once', async () => {
  const hub = await testHub({ framesPerMinute: 1e9 });
  const total = countOf('QUEUED_TASKS', { quick: 200, full: 10_000 });
  const count = isLong ? 200 : 20;
  const one = JSON.stringify({ description: 'small' });
  for (let made = 0; made < total; made += 50) {
    await Promise.all(Array.from({ length: 50 }, () => hub.call('POST', '/api/tasks', one)));
  }
  const done: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const join = async (index: number) =>
      (await hub.worker({ agentId: `w${index}` })).finishAll((taskId) => {
        if (done.push(taskId) === total) resolve();
      });
    Promise.all(Array.from({ length: count }, (_, index) => join(index))).catch(reject);
  });
  expect(new Set(done).size).toBe(total);
});

/** More than is counted, and more than one question of a search looks at. */
const TASKS = 12_000;

describe('a database of many tasks', () => {
  const folder = tempFolders();
  let file: string;
  beforeAll(async () => {
    file = join(folder(), 'hub.db');
    const hub = await testHub({ database: file });
    await hub.submit({ description: 'task 0' });
    await hub.close();
    const sql = new Sqlite(file);
    const columns = sql
      .prepare<[], string>(
        "SELECT name FROM pragma_table_info('tasks') WHERE name NOT IN ('seq', 'id', 'title')",
      )
      .pluck()
      .all();
    const insert = sql.prepare(
      `INSERT INTO tasks (id, title, ${columns.join(', ')}) SELECT ?, ?, ${columns.join(', ')} FROM tasks WHERE seq = 1`,
    );
    sql.transaction(() => {
      for (let task = 1; task < TASKS; task += 1) insert.run(`id-${task}`, `task ${task}`);
    })();
    sql
      .prepare("UPDATE tasks SET status = 'success', finished_at = 1e13, tokens_in = 2, cost_usd = 0.5")
      .run();
    sql.close();
  });
  const titles = (body: Json): string[] => body.tasks.map(({ title }: { title: string }) => title);
  const list = async (hub: TestHub, query: string) => (await hub.get(`/api/tasks?${query}`)).body;

  test('is listed page by page, searched to its end, counted up to a bound and summed up exactly', async () => {
    const hub = await testHub({ database: file, retention: { eventDays: 1e5, taskDays: 1e5 } });
    const first = await list(hub, 'limit=2');
    expect([titles(first), first.total]).toEqual([['task 11999', 'task 11998'], 10_000]);
    expect(titles(await list(hub, `limit=2&before=${first.next_before}`))).toEqual([
      'task 11997',
      'task 11996',
    ]);
    expect((await list(hub, 'status=success')).total).toBe(10_000);
    expect((await list(hub, 'status=success,queued')).total).toBe(10_000);
    // `task 7`, `task 70` … `task 7999`; the last ones are met at the very end.
    const found: string[] = [];
    for (let before: number | null = TASKS + 1; before !== null;) {
      const page: Json = await list(hub, `q=TASK%207&limit=500&before=${before}`);
      found.push(...titles(page));
      before = page.next_before;
    }
    expect([found.length, found[0], found.at(-1)]).toEqual([1111, 'task 7999', 'task 7']);
    expect(await list(hub, 'q=task%20777&worker=nobody')).toMatchObject({
      tasks: [],
      total: 0,
      next_before: null,
    });
    const { tasks, totals } = (await hub.get('/api/stats')).body;
    expect([tasks.success, totals.tokens_in, totals.estimated_cost_usd]).toEqual([12_000, 24_000, 6_000]);
  });
});
