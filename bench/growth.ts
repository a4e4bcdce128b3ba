/**
 * What a hub on SQLite takes as its database grows: pages of the API with up to a million tasks, and of a task with up to
 * 100 000 events. Rows are copies of one finished task; the hub is a process of its own. Medians.
 */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { startChild, type Child } from './support/child.ts';
import { pageTime, usageOf } from './support/hub-figures.ts';
import type { HubProcessOptions, HubProcessReady } from './support/hub-process.ts';
import { MIB, type Figure, type Table } from './support/measure.ts';
import { createBenchFolder } from './support/repositories.ts';
import { submitMany } from './support/submit-many.ts';

const TASKS = [1_000, 10_000, 100_000, 1_000_000];
/** Events of one task, for each size of the database. */
const EVENTS = [100, 1_000, 10_000, 100_000];
/** Nothing is too old to be kept. */
const RETENTION = { eventDays: 100_000, taskDays: 100_000 };
const EVENT_BODY = JSON.stringify({ event_type: 'status', text: 'A line of a timeline', seq: 1 });

export async function bench(): Promise<{ figures: Figure[]; tables: Table[] }> {
  const folder = createBenchFolder();
  const database = join(folder.dir, 'hub.sqlite');
  try {
    const id = await firstTask(database);
    const measured: Map<string, string>[] = [];
    for (const [index, tasks] of TASKS.entries()) {
      grow(database, id, { tasks, events: EVENTS[index] ?? 0 });
      measured.push(await measure(database, id));
    }
    const names = [...(measured[0]?.keys() ?? [])];
    const columns = TASKS.map((tasks, index) => `${tasks} tasks, ${EVENTS[index]} events`);
    const rows = names.map((name) => [name, ...measured.map((column) => column.get(name) ?? '')]);
    return { figures: [], tables: [{ title: 'A hub that grows', columns: ['', ...columns], rows }] };
  } finally {
    folder.remove();
  }
}

async function firstTask(database: string): Promise<string> {
  const hub = await startHub(database);
  const { submittedMs } = await submitMany(hub.ready as HubProcessReady, 1, 1);
  await hub.end();
  return [...submittedMs.keys()][0] ?? '';
}

const startHub = (database: string): Promise<Child> =>
  startChild('support/hub-process', { database, retention: RETENTION } satisfies HubProcessOptions);

/** Adds finished tasks and events until there are so many. */
function grow(database: string, id: string, { tasks, events }: { tasks: number; events: number }): void {
  const db = new Sqlite(database);
  try {
    db.exec("UPDATE tasks SET status = 'success', finished_at = created_at, tokens_in = 9, cost_usd = 0.1");
    const count = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
    const numbers = (from: number, to: number) =>
      `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})`;
    const columns = db
      .prepare<[], string>(
        "SELECT name FROM pragma_table_info('tasks') WHERE name NOT IN ('seq', 'id', 'title')",
      )
      .pluck()
      .all()
      .join(', ');
    const before = count('SELECT count(*) FROM tasks');
    if (before < tasks) {
      db.prepare(
        `${numbers(before, tasks)} INSERT INTO tasks (id, title, ${columns}) SELECT 'copy-' || i, 'Task ' || i, ${columns} FROM n, tasks WHERE tasks.id = ?`,
      ).run(id);
      db.prepare(
        `${numbers(before, tasks)} INSERT INTO task_texts (task_id, content) SELECT 'copy-' || i, content FROM n, task_texts WHERE task_id = ?`,
      ).run(id);
    }
    const had = count('SELECT count(*) FROM events');
    if (had < events)
      db.prepare(
        `${numbers(had, events)} INSERT INTO events (task_id, at, generation, kind, body) SELECT ?, 1, 1, 'execution', ? FROM n`,
      ).run(id, EVENT_BODY);
  } finally {
    db.close();
  }
}

async function measure(database: string, id: string): Promise<Map<string, string>> {
  const startedMs = performance.now();
  const hub = await startHub(database);
  const startMs = performance.now() - startedMs;
  try {
    const page = (path: string): Promise<string> => pageTime(hub.ready as HubProcessReady, path);
    const measured = new Map<string, string>([
      ['start', `${startMs.toFixed(0)} ms`],
      ['list of tasks', await page('/api/tasks?limit=50')],
      ['finished ones', await page('/api/tasks?limit=50&status=success')],
      ['a search without a hit, one page', await page('/api/tasks?limit=50&q=nothing-like-this')],
      ['the oldest page', await page('/api/tasks?limit=50&before=51')],
      ['overview', await page('/api/overview?days=1')],
      ['sums', await page('/api/stats')],
      ['a task', await page(`/api/tasks/${id}`)],
      ['first page of its events', await page(`/api/tasks/${id}/events?limit=500`)],
    ]);
    const { rssBytes } = await usageOf(hub);
    return measured.set('memory', `${Math.round(rssBytes / MIB)} MiB`);
  } finally {
    await hub.end();
  }
}
