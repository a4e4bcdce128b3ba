import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { execa } from 'execa';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { CostLedger } from '../../sidecar/worker/ledger/cost-ledger.ts';
import { readLedger } from '../../sidecar/worker/ledger/export.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { readHistory } from '../../sidecar/base/storage/history.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskRecords, type TaskRecords } from '../../sidecar/base/storage/task-records.ts';
import { resolveWorkerFolders } from '../../sidecar/worker/folders.ts';
import { startPruning } from '../../sidecar/worker/pruning.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { ManualClock, unhurriedCalls } from '../support/manual-clock.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { quiet } from '../support/until.ts';
import { readyWorker } from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system?.cleanup.close());

/** `worker.concurrency: auto`: tasks in work as the model has time for them. */
describe('auto', () => {
  const auto = (autoLimit: number) => ({
    ollama: { slots: 1 },
    worker: { concurrency: 'auto' as const, autoLimit },
  });
  const submit = async (description: string): Promise<string> =>
    (await system.client.submit({ description, agentic: true })).task_id;

  test('a task is begun while another one runs its command, and the model gets one call at a time', async () => {
    system = await startSystem({
      card: { slots: 1 },
      speed: { promptTokensPerSecond: 100_000, tokensPerSecond: 1_000 },
      turns: [call('shell', { command: 'sleep 0.3' }), { ...say('Done.'), repeat: 'always' }],
    });
    const worker = await system.worker('w1', auto(4));
    const ids = await Promise.all(['1', '2', '3'].map(submit));
    let most = 0;
    const ended = Promise.all(ids.map((id) => system.untilEnded(id)));
    let isOver = false;
    void ended.then(() => (isOver = true));
    await eventually(() => {
      most = Math.max(most, worker.taskCounts.running);
      return isOver;
    }, 'the end of all tasks');
    expect((await ended).map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(most).toBeGreaterThan(1);
    const { workLog } = system.model;
    const overlaps = workLog.filter((one) =>
      workLog.some(
        (other) => other !== one && other.startedMs < one.endedMs && one.startedMs < other.endedMs,
      ),
    );
    expect(overlaps).toEqual([]);
  });

  test('a task that waits in the queue is heard of, and is cancelled at once', async () => {
    const hold = { faults: [{ kind: 'hold' as const }] };
    system = await startSystem({ turns: [{ ...say('Done.'), ...hold, repeat: 'always' }] });
    const clock = new ManualClock(Date.now());
    const port = await freePort();
    const settings = {
      ...auto(3),
      ollama: { slots: 1, ...unhurriedCalls },
      limits: { agenticTimeoutMs: 36_000_000 },
      observability: { port },
    };
    const worker = await system.worker('w1', settings, clock);
    const ids = await Promise.all(['1', '2', '3'].map(submit));
    let metrics = '';
    await eventually(
      () => worker.taskCounts.unfinished === 3 && /sidecar_model_calls_waiting\{[^}]*\} 1/u.test(metrics),
      'a call that waits',
      async () => {
        metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      },
    );
    // One call runs and one waits: the third task has no use for the model yet.
    expect(worker.taskCounts.running).toBe(2);
    const heard = new Map<string, string>();
    const following = ids.map((id) =>
      system.untilEnded(id, ({ body }) => {
        if (String(body.text).startsWith('Queued on the worker')) heard.set(id, String(body.text));
      }),
    );
    await eventually(
      () => heard.size > 0,
      'a word from the queue',
      async () => {
        await clock.advance(1_000);
        await quiet();
      },
    );
    const [waiting = ''] = heard.keys();
    await system.client.cancel(waiting);
    expect(await following[ids.indexOf(waiting)]).toMatchObject({ status: 'cancelled' });
    await eventually(() => worker.taskCounts.unfinished === 2, 'the end of the cancelled task');
    system.model.release();
    const others = await Promise.all(following.filter((_, index) => ids[index] !== waiting));
    expect(others.map(({ status }) => status)).toEqual(['success', 'success']);
  });
});

/** A worker on a machine where bubblewrap does not work. */
describe('unconfined', () => {
  const folder = tempFolders();

  /** What the worker says of its sandbox, in a process that finds no bubblewrap that works. */
  async function label(url: string, unconfined: string): Promise<string> {
    const dir = folder();
    mkdirSync(join(dir, 'bin'));
    const bwrap = join(dir, 'bin/bwrap');
    await execa('sh', ['-c', `printf '#!/bin/sh\\nexit 1\\n' > ${bwrap} && chmod +x ${bwrap}`]);
    const outfile = join(dir, 'label.mjs');
    await build({
      stdin: {
        contents: `import { detectSandboxLabel } from './sidecar/worker/identity.ts';
        detectSandboxLabel({ sandbox: { mode: 'auto', unconfined: '${unconfined}' }, hub: { url: '${url}' } })
          .then(console.log, ({ code, message }) => console.log(code + ' ' + message));`,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'error',
    });
    const env = { PATH: `${join(dir, 'bin')}:${process.env.PATH ?? ''}` };
    return (await execa(process.execPath, [outfile], { env })).stdout;
  }

  test('works for a hub on this machine, and says that commands are not confined', async () => {
    expect(await label('ws://127.0.0.1:4600/ws', 'refuse')).toMatch(/^none: bubblewrap does not work/u);
  });

  test('does not start for a hub on another machine, unless that is allowed', async () => {
    expect(await label('wss://hub.example/ws', 'refuse')).toMatch(
      /^sandbox_unavailable the hub is on another machine and commands would not be confined/u,
    );
    expect(await label('wss://hub.example/ws', 'allow')).toMatch(/^none: /u);
  });
});

describe('the work of a task without a repository', () => {
  const write = call('write_file', { file_path: 'half.txt', content: 'half\n' });
  const repositories = () => join(system.dir, 'data', 'repositories');

  test('stays after a partial result, since nothing else has it', async () => {
    system = await startSystem({ turns: [write, say('Half of it.')] });
    const worker = await system.worker('w1');
    const steps = ['half.txt', 'whole.txt'].map((target) => ({ type: 'file_exists', target }));
    const task = await system.finish({
      agentic: true,
      verification_steps: steps,
      max_verification_retries: 0,
    });
    expect(task.status).toBe('partial');
    await worker.stop();
    const [cache = ''] = await readdir(repositories());
    const commit = `sidecar/${task.task_id}:half.txt`;
    expect((await execa('git', ['-C', join(repositories(), cache), 'show', commit])).stdout).toBe('half');
  });

  test('goes after a success, whose result has all of it', async () => {
    system = await startSystem({ turns: [write, say('All of it.')] });
    const worker = await system.worker('w1');
    const task = await system.finish({
      agentic: true,
      verification_steps: [{ type: 'file_exists', target: 'half.txt' }],
    });
    expect(task.status).toBe('success');
    await worker.stop();
    expect(await readdir(repositories())).toEqual([]);
  });
});

describe('tool settings', () => {
  const folder = tempFolders();

  test('a worker whose settings name a tool that is not there does not start', async () => {
    const stateDir = join(folder(), 'state');
    const config = configSchema.parse({
      tools: { disabled: ['shel'] },
      worker: { stateDir },
      hub: { url: 'ws://127.0.0.1:9/ws', agentId: 'a', token: 't' },
    });
    expect(await startWorker({ config, logger: silentLogger })).toEqual({
      ok: false,
      failure: {
        code: 'config_invalid',
        message: expect.stringContaining('tools.disabled: there is no tool shel; the tools are read_file'),
      },
    });
    expect(existsSync(stateDir)).toBe(false);
  });
});

const DAY_MS = 86_400_000;

describe('cleaning up after old tasks', () => {
  const tempFolder = tempFolders();
  let clock: ManualClock;
  let folder: string;
  let db: StateDatabase;
  let records: TaskRecords;
  let ledger: CostLedger;
  let isIdle: boolean;
  const actual = { tokensIn: 10, tokensOut: 1, totalNs: 1, loadNs: 0, promptEvalNs: 0, evalNs: 1 };

  beforeEach(async () => {
    clock = new ManualClock();
    folder = tempFolder();
    db = await openStateDatabase(folder);
    records = createTaskRecords(db, clock);
    ledger = new CostLedger({ db, clock });
    isIdle = true;
    for (let task = 0; task < 250; task += 1) {
      records.finish(`t${task}`, { outcome: 'failed' });
      const call = ledger.check({ taskId: `t${task}`, model: 'm', iteration: 1, tokensIn: 1, tokensOut: 1 });
      if (call.ok) ledger.settle(call.reservation, actual);
      await clock.advance(1);
    }
  });
  afterEach(() => db.close());

  const start = (retention: object) => {
    const config = configSchema.parse({ retention });
    const folders = resolveWorkerFolders({ stateDir: folder, dataDir: folder });
    const idle = () => isIdle;
    return startPruning({ config, folders, records, ledger, isIdle: idle, clock, logger: silentLogger });
  };
  const left = async () => [
    (await readHistory(folder, { limit: 1000 })).length,
    (await readLedger(folder)).calls.length,
  ];

  test('rows that are too old go in steps, soon after the start', async () => {
    await clock.advance(10 * DAY_MS);
    const pruning = start({ historyDays: 5, ledgerDays: 5 });
    for (let turn = 0; turn < 2000 && (await left())[1] !== 0; turn += 1) await clock.advance(1000);
    expect(await left()).toEqual([0, 0]);
    expect((await readLedger(folder)).days).toMatchObject([{ calls: 250, tokensIn: 2500 }]);
    await pruning.stop();
    expect(clock.pending).toBe(0);
  });

  test('waits while tasks run, and ends without waiting when the worker does', async () => {
    await clock.advance(10 * DAY_MS);
    isIdle = false;
    const pruning = start({ historyDays: 5, ledgerDays: 5 });
    await clock.advance(6_000);
    for (let turn = 0; turn < 20; turn += 1) await clock.advance(10);
    expect(await left()).toEqual([250, 250]);
    await pruning.stop();
    expect(await left()).toEqual([250, 250]);
    expect(clock.pending).toBe(0);
  });
});

/** What a worker costs while it has nothing to do. */
describe('idle', () => {
  /** How often the main thread has gone to sleep so far. */
  const sleeps = (pid: number): number =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

  const LOOK_MS = 4_000;
  /** Aimed at 2 a second; a machine under load interrupts more often. */
  const MAX_A_SECOND = 12;

  (existsSync('/proc/self/status') ? test : test.skip)(
    'an idle worker that serves metrics wakes a few times a second at most',
    async () => {
      system = await startSystem({ turns: [say('x')] });
      const port = await freePort();
      const worker = await readyWorker(system, 'w', { observability: { port } });
      const pid = worker.child.pid ?? 0;
      // A rate can only be seen as time passes; the first one may still see the start.
      const rate = async () => {
        const before = sleeps(pid);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        return (sleeps(pid) - before) / (LOOK_MS / 1_000);
      };
      const rates = [await rate(), await rate()];
      expect(Math.min(...rates)).toBeLessThan(MAX_A_SECOND);
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      // The pause between two looks at the event loop is none of its delay.
      const median = /^nodejs_eventloop_lag_p50_seconds (\S+)$/mu.exec(metrics)?.[1];
      expect(Number(median)).toBeLessThan(0.9);
      expect(metrics).toContain('nodejs_eventloop_lag_stddev_seconds');
    },
  );
});

test('work lies at a path without a hidden folder, wherever the state of the worker is', () => {
  const placeOf = (stateDir?: string) => resolveWorkerFolders({ stateDir, dataDir: undefined }).worktreesDir;
  expect(placeOf('/var/lib/sidecar')).toBe('/var/lib/sidecar/worktrees');
  const [one, other] = [placeOf('/home/me/.local/state/sidecar'), placeOf('/home/me/.state')];
  expect(one).toMatch(/\/sidecar-tasks\/[0-9a-f]{6}$/);
  expect(one).not.toBe(other);
});
