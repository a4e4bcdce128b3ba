/**
 * What a hub on SQLite takes as its workers grow in number: up to 1 000 of them, each with a task of which it reports an
 * event every second, and one dashboard that reads them all. Hub and workers are processes of their own.
 */
import { join } from 'node:path';
import { startChild } from './support/child.ts';
import type { FleetAnswer, FleetOptions } from './support/fleet-process.ts';
import { pageTime, usageOf } from './support/hub-figures.ts';
import type { HubProcessOptions, HubProcessReady } from './support/hub-process.ts';
import { MIB, quantile, type Figure, type Table } from './support/measure.ts';
import { createBenchFolder } from './support/repositories.ts';
import { submitMany } from './support/submit-many.ts';
import { createTimeoutSignal } from '../sidecar/base/system/clock.ts';

const WORKERS = [10, 100, 300, 1_000];
const EVERY_MS = 1_000;
const SECONDS = 20;
const SUBMITTED_AT_ONCE = 4;
/** The last events are waited for no longer. */
const LAST_EVENT_MS = 10_000;

export async function bench(): Promise<{ figures: Figure[]; tables: Table[] }> {
  const measured: Map<string, string>[] = [];
  for (const workers of WORKERS) measured.push(await measure(workers));
  const names = [...(measured[0]?.keys() ?? [])];
  const rows = names.map((name) => [name, ...measured.map((column) => column.get(name) ?? '')]);
  const columns = ['', ...WORKERS.map((workers) => `${workers} workers`)];
  return { figures: [], tables: [{ title: 'Workers that grow in number', columns, rows }] };
}

async function measure(workers: number): Promise<Map<string, string>> {
  const folder = createBenchFolder();
  const hub = await startChild('support/hub-process', {
    database: join(folder.dir, 'hub.sqlite'),
  } satisfies HubProcessOptions);
  const ready = hub.ready as HubProcessReady;
  const { wsUrl, workerToken: token } = ready;
  const options: FleetOptions = { wsUrl, token, workers, keeps: true };
  const fleet = await startChild('support/fleet-process', options);
  try {
    const startedMs = performance.now();
    await fleet.ask({ kind: 'connect' });
    const connectedMs = performance.now() - startedMs;
    const working = fleet.ask({ kind: 'work', tasks: workers });
    const { submittedMs } = await submitMany(ready, workers, SUBMITTED_AT_ONCE);
    const { assigned } = (await working) as FleetAnswer;
    const waits = assigned.map(([id, atMs]) => atMs - (submittedMs.get(id) ?? atMs));
    const end = createTimeoutSignal(SECONDS * 1_000 + LAST_EVENT_MS);
    const late = latenciesOf(ready, workers * SECONDS, end);
    const before = await usageOf(hub);
    const [pages] = await Promise.all([
      pagesOf(ready),
      fleet.ask({ kind: 'report', events: SECONDS, everyMs: EVERY_MS }),
    ]);
    const after = await usageOf(hub);
    const latencies = await late;
    return new Map([
      ['all connected', `${connectedMs.toFixed(0)} ms`],
      ['submit to assigned, p50 / p99', twoOf(waits)],
      ['event to dashboard, p50 / p99', twoOf(latencies)],
      ['events that reached it', `${latencies.length} of ${workers * SECONDS}`],
      ...pages,
      ['CPU of the hub, of one core', `${((after.cpuMs - before.cpuMs) / SECONDS / 10).toFixed(0)} %`],
      ['memory of the hub', `${Math.round(after.rssBytes / MIB)} MiB`],
    ]);
  } finally {
    await fleet.end();
    await hub.end();
    folder.remove();
  }
}

const twoOf = (times: readonly number[]): string =>
  `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)} ms`;

/** Pages of the API while the events come. */
async function pagesOf(hub: HubProcessReady): Promise<[string, string][]> {
  return [
    ['list of tasks', await pageTime(hub, '/api/tasks?limit=50')],
    ['workers', await pageTime(hub, '/api/workers')],
    ['overview', await pageTime(hub, '/api/overview?days=1')],
  ];
}

/** Milliseconds from each event's sending until a reader of the hub's stream has it; of `events`, or as many as come until `signal`. */
async function latenciesOf(
  { url, adminToken }: HubProcessReady,
  events: number,
  signal: AbortSignal,
): Promise<number[]> {
  const latencies: number[] = [];
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${url}/api/events`, { headers, signal });
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      const nowMs = performance.timeOrigin + performance.now();
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const sentMs = Number(/"text":"([\d.]+)"/.exec(part)?.[1]);
        if (sentMs > 0) latencies.push(nowMs - sentMs);
      }
      if (latencies.length >= events) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return latencies;
}
