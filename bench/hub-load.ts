/**
 * The embedded hub under load, on SQLite and on PostgreSQL: 500 workers, tasks that come one by one while they are idle,
 * and a queue of 10 000 that they empty. Hub and workers are processes of their own; the tasks take no time, so what
 * is left is the hub's.
 */
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgresql.ts';
import { startChild, type Child } from './support/child.ts';
import type { FleetAnswer, FleetOptions } from './support/fleet-process.ts';
import { usageOf } from './support/hub-figures.ts';
import type { HubProcessOptions, HubProcessReady, HubUsage } from './support/hub-process.ts';
import { MIB, quantile, type Figure } from './support/measure.ts';
import { createBenchFolder } from './support/repositories.ts';
import { submitMany } from './support/submit-many.ts';

const WORKERS = 500;
const QUEUED = 10_000;
/** Tasks for idle workers, so many of them on their way at the same time. */
const SINGLE = 1_000;
const SINGLE_AT_ONCE = 4;
const FILL_AT_ONCE = 32;

export async function bench(): Promise<Figure[]> {
  return [...(await onSqlite()), ...(await onPostgres())];
}

async function onSqlite(): Promise<Figure[]> {
  const folder = createBenchFolder();
  try {
    return await measure('SQLite', join(folder.dir, 'hub.sqlite'));
  } finally {
    folder.remove();
  }
}

async function onPostgres(): Promise<Figure[]> {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  try {
    server = await startPostgres();
  } catch (error) {
    const note = `skipped: no PostgreSQL can be started here (${String(error)})`;
    return [{ name: 'PostgreSQL', value: null, unit: '', note }];
  }
  try {
    return await measure('PostgreSQL', await server.createDatabase());
  } finally {
    await server.stop();
  }
}

async function measure(name: string, database: string): Promise<Figure[]> {
  const hub = await startChild('support/hub-process', { database } satisfies HubProcessOptions);
  try {
    const idle = await withFleet(hub, idleWorkers);
    const filled = await submitMany(hub.ready as HubProcessReady, QUEUED, FILL_AT_ONCE);
    const before = await usageOf(hub);
    const drained = await withFleet(hub, (fleet) => work(fleet, QUEUED));
    const after = await usageOf(hub);
    return figures(name, { idle, filled, drained, before, after });
  } finally {
    await hub.end();
  }
}

/** Runs `use` with all workers connected. */
async function withFleet<T>(hub: Child, use: (fleet: Child, hub: Child) => Promise<T>): Promise<T> {
  const { wsUrl, workerToken: token } = hub.ready as HubProcessReady;
  const options: FleetOptions = { wsUrl, token, workers: WORKERS };
  const fleet = await startChild('support/fleet-process', options);
  try {
    await fleet.ask({ kind: 'connect' });
    return await use(fleet, hub);
  } finally {
    await fleet.end();
  }
}

const work = async (fleet: Child, tasks: number) =>
  ((await fleet.ask({ kind: 'work', tasks })) as FleetAnswer).assigned;

/** Milliseconds from each submission to its assignment. */
async function idleWorkers(fleet: Child, hub: Child): Promise<number[]> {
  const working = work(fleet, SINGLE);
  const { submittedMs } = await submitMany(hub.ready as HubProcessReady, SINGLE, SINGLE_AT_ONCE);
  return waitsOf(await working, submittedMs);
}

const waitsOf = (assigned: FleetAnswer['assigned'], submittedMs: ReadonlyMap<string, number>) =>
  assigned.map(([id, atMs]) => atMs - (submittedMs.get(id) ?? atMs));

interface Measured {
  idle: number[];
  filled: { submittedMs: Map<string, number>; seconds: number };
  drained: FleetAnswer['assigned'];
  before: HubUsage;
  after: HubUsage;
}

function figures(name: string, { idle, filled, drained, before, after }: Measured): Figure[] {
  const times = drained.map(([, atMs]) => atMs);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
  const waits = waitsOf(drained, filled.submittedMs);
  const full = `of ${QUEUED} queued tasks; grows with the queue`;
  const figure = (what: string, value: number, unit: string, note = ''): Figure => ({
    name: `${name}: ${what}`,
    value,
    unit,
    note,
  });
  return [
    figure('submit to assigned, workers idle, p50', quantile(idle, 0.5), 'ms', `${SINGLE_AT_ONCE} at once`),
    figure('submit to assigned, workers idle, p99', quantile(idle, 0.99), 'ms'),
    figure('submissions', QUEUED / filled.seconds, '/s', `${FILL_AT_ONCE} at once`),
    figure('assignments while the queue drains', drained.length / seconds, '/s', `${WORKERS} workers`),
    figure('submit to assigned, full queue, p50', quantile(waits, 0.5) / 1000, 's', full),
    figure('submit to assigned, full queue, p99', quantile(waits, 0.99) / 1000, 's', full),
    figure('CPU of the hub per drained task', (after.cpuMs - before.cpuMs) / QUEUED, 'ms'),
    figure('memory of the hub, drained', after.rssBytes / MIB, 'MiB'),
    figure('memory of the hub, peak', after.peakRssBytes / MIB, 'MiB'),
    figure('tasks given out twice', drained.length - new Set(drained.map(([id]) => id)).size, ''),
  ];
}
