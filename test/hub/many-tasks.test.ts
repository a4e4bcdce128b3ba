import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub } from './hub-fixture.ts';
import type { Json, TestHub } from './hub-fixture.ts';

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
