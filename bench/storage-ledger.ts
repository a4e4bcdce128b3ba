/**
 * What durability costs: a journal append beside the disk's own fsync, a ledger check over a million rows, and
 * the way of a result over a loopback socket until it is acknowledged. Medians, after a warm-up.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../sidecar/base/system/clock.ts';
import { HubLink } from '../sidecar/worker/hub-link/hub-link.ts';
import { CostLedger } from '../sidecar/worker/ledger/cost-ledger.ts';
import { createOutbox } from '../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../sidecar/base/storage/state-database.ts';
import { acceptedJournal } from '../test/support/accepted-journal.ts';
import { HubDouble } from '../test/support/hub-double.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const ROWS = 1_000_000;

export async function bench(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-bench-'));
  const db = await openStateDatabase(folder);
  try {
    return [...(await disk(folder)), ...(await journal(db)), ...ledger(db), ...(await delivery(db))];
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function disk(folder: string): Promise<Figure[]> {
  const file = openSync(join(folder, 'raw'), 'w');
  const page = Buffer.alloc(4096, 1);
  const value = await median(300, () => {
    writeSync(file, page);
    fdatasyncSync(file);
  });
  closeSync(file);
  return [{ name: 'disk: write 4 KiB and fdatasync', value: milliseconds(value), unit: 'ms' }];
}

async function journal(db: StateDatabase): Promise<Figure[]> {
  const entries = acceptedJournal(db, 'bench');
  const body = { content: 'x'.repeat(1_000), tool_calls: [{ name: 'read_file', arguments: { path: 'a' } }] };
  let round = 0;
  const value = await median(300, () => {
    round += 1;
    return entries.append([{ kind: 'answer', stage: 'run', round, body }]);
  });
  return [{ name: 'journal: one append', value: milliseconds(value), unit: 'ms', target: 'about one fsync' }];
}

function ledger(db: StateDatabase): Figure[] {
  db.ledger.transaction(() =>
    db.ledger.sql
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO calls (task_id, model, iteration, tokens_in, tokens_out, gpu_seconds, cost_usd, at, state)
         SELECT 'task-' || (i / 20), 'm', i % 20, 900, 100, 0.5, 0.0001, ? - (? - i) * 86, 'settled' FROM n`,
      )
      .run(ROWS, Date.now(), ROWS),
  );
  const begin = performance.now();
  const costs = new CostLedger({ db, budgets: { perHour: { maxTokens: 1e12 }, perDay: { maxUsd: 1e9 } } });
  const startMs = performance.now() - begin;
  const call = { taskId: 'bench', model: 'm', iteration: 1, tokensIn: 900, tokensOut: 100 };
  const actual = { tokensIn: 900, tokensOut: 90, totalNs: 5e8, loadNs: 0, promptEvalNs: 1e8, evalNs: 4e8 };
  const checks: number[] = [];
  const settles: number[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    const before = process.hrtime.bigint();
    const answer = costs.check(call);
    const between = process.hrtime.bigint();
    if (!answer.ok) throw new Error('the budget of the bench is exhausted');
    costs.settle(answer.reservation, actual);
    checks.push(Number(between - before));
    settles.push(Number(process.hrtime.bigint() - between));
  }
  const middle = (values: number[]) => values.slice(200).sort((a, b) => a - b)[900] ?? 0;
  return [
    { name: 'ledger: check, 1M rows', value: microseconds(middle(checks)), unit: 'µs', target: '< 50' },
    { name: 'ledger: settle, 1M rows', value: microseconds(middle(settles)), unit: 'µs' },
    { name: 'ledger: start with 1M rows of one day', value: Math.round(startMs), unit: 'ms' },
  ];
}

async function delivery(db: StateDatabase): Promise<Figure[]> {
  const hub = new HubDouble(systemClock);
  hub.features = { limits: { framesPerMinute: 60_000 } };
  await hub.listen();
  const outbox = createOutbox(db);
  const link = new HubLink({
    url: hub.url,
    identity: { workerId: 'worker-1', token: 'secret' },
    outbox,
  });
  await new Promise((resolve) => link.start({ onConnected: () => resolve(undefined) }));
  const times: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const id = `task-${i}`;
    hub.remember(id, 'worker-1', 1);
    const before = process.hrtime.bigint();
    outbox.enqueue({
      type: 'task_complete',
      task_id: id,
      generation: 1,
      result: { output: 'x'.repeat(2_000) },
    });
    await link.waitUntilFlushed();
    times.push(Number(process.hrtime.bigint() - before));
  }
  await link.stop();
  await hub.kill();
  const value = times.sort((a, b) => a - b)[20] ?? 0;
  return [{ name: 'result to acknowledgement, loopback', value: milliseconds(value), unit: 'ms' }];
}

/** Nanoseconds. */
async function median(runs: number, work: () => void | Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    const before = process.hrtime.bigint();
    await work();
    times.push(Number(process.hrtime.bigint() - before));
  }
  return times.slice(Math.floor(runs / 10)).sort((a, b) => a - b)[Math.floor(runs * 0.45)] ?? 0;
}

const milliseconds = (ns: number) => Math.round(ns / 1e4) / 100;
const microseconds = (ns: number) => Math.round(ns / 100) / 10;
