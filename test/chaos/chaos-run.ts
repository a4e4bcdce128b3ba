/**
 * One run of chaos: a hub and a worker as processes, a proxy between them, a model that fails now and then. Both sides
 * are killed, connections cut, frozen, slowed down and made to repeat themselves; at the end everything is counted.
 * The protocol's waits pass on a fast clock, so that a run takes a second or two.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ConfigInput } from '../../sidecar/config/schema.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { follow, killed, processesWith, type WorkerProcess } from '../support/worker-process.ts';
import { startEffectModel, type EffectModel } from './effect-model.ts';
import { startFrameProxy, type FrameProxy } from './frame-proxy.ts';

/** How much faster than the world the programs' clocks run. */
const SPEED = 25;
const DEADLINE_MS = 30_000;
const TASKS = 4;
const CALLS = 3;
const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

export interface ChaosOutcome {
  /** What happened, in words; for the one who looks into a failed run. */
  story: string[];
  /** Empty when every promise was kept. */
  broken: string[];
}

/** The run that belongs to `seed`. Timing is the machine's, so that a seed repeats the plan and not the race. */
export async function chaosRun(seed: number): Promise<ChaosOutcome> {
  const run = new ChaosRun(seed);
  try {
    await run.begin();
    await run.storm();
    await run.settle();
  } catch (error) {
    run.broken.push(String(error));
  } finally {
    await run.end();
  }
  return { story: run.story, broken: run.broken };
}

class ChaosRun {
  readonly story: string[] = [];
  readonly broken: string[] = [];
  readonly #random: () => number;
  readonly #dir = mkdtempSync(join(tmpdir(), 'sidecar-chaos-'));
  readonly #epochMs = Date.now();
  readonly #taskIds = new Map<string, string>();
  #hubPort = 0;
  #hub: WorkerProcess | undefined;
  #worker: WorkerProcess | undefined;
  #proxy: FrameProxy | undefined;
  #model: EffectModel | undefined;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  async begin(): Promise<void> {
    this.#hubPort = await freePort();
    this.#proxy = await startFrameProxy(() => this.#hubPort, this.#random);
    this.#model = await startEffectModel({ file: this.#effectsFile, random: this.#random, faults: 0.04 });
    const repo = sampleRepository(this.#dir);
    this.#startHub();
    this.#startWorker();
    await this.#hub?.wrote('ready');
    await this.#submit(await repo);
  }

  async storm(): Promise<void> {
    const actions: [string, () => Promise<void>][] = [
      ['the worker is killed', () => this.#killWorker()],
      ['the worker is killed', () => this.#killWorker()],
      ['the hub is killed', () => this.#killHub()],
      ['the connection is cut', () => this.#cut()],
      ['the connection is half open', () => this.#freeze()],
      ['frames are slow', () => this.#slow()],
      ['frames come twice', () => this.#duplicate()],
    ];
    const count = 2 + Math.floor(this.#random() * 3);
    for (let i = 0; i < count; i += 1) {
      await pause(this.#random() * 350);
      const [name, act] = actions[Math.floor(this.#random() * actions.length)] ?? actions[0] ?? ['', pause];
      this.story.push(`${Date.now() - this.#epochMs} ms: ${name}`);
      await act();
    }
    await pause(this.#random() * 200);
    if (this.#proxy) this.#proxy.weather = { delayMs: 0, duplicates: 0 };
  }

  /** Waits until hub and worker have both come to rest, then ends them in order. */
  async settle(): Promise<void> {
    await this.#within(DEADLINE_MS, 'every task ends', async () => {
      const tasks = await this.#api('GET', '/api/tasks?limit=100');
      return (tasks.tasks as { status: string }[]).filter(({ status }) => ENDED.has(status)).length === TASKS;
    });
    await this.#within(10_000, 'the worker comes to rest', () => this.#atRest());
    await this.#endOf('worker', this.#worker);
    await this.#endOf('hub', this.#hub);
    this.#checkTasks();
    this.#checkEffects();
    this.#checkLeftovers();
  }

  async end(): Promise<void> {
    if (this.broken.length > 0) {
      this.story.push(`— worker —\n${this.#worker?.output ?? ''}`, `— hub —\n${this.#hub?.output ?? ''}`);
      this.story.push(`— effects —\n${this.#effects().join('\n')}`);
    }
    for (const one of [this.#worker, this.#hub]) if (one) await killed(one.child);
    await this.#proxy?.close();
    await this.#model?.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #effectsFile(): string {
    return join(this.#dir, 'effects.log');
  }

  get #stateDir(): string {
    return join(this.#dir, 'w1');
  }

  #startHub(): void {
    this.#hub = this.#program('hub-program.mjs', {
      HUB_DATABASE: join(this.#dir, 'hub.sqlite'),
      HUB_PORT: String(this.#hubPort),
      HUB_ADMIN_TOKEN: 'admin-token',
      HUB_WORKER_TOKEN: 'worker-token',
      HUB_SPEED: String(SPEED),
    });
  }

  #startWorker(): void {
    const config: ConfigInput = {
      hub: {
        url: `ws://127.0.0.1:${this.#proxy?.port}/ws`,
        agentId: 'w1',
        token: 'worker-token',
        connectTimeoutMs: 0,
      },
      ollama: { url: this.#model?.url },
      model: { default: 'm' },
      sandbox: { mode: 'off' },
      worker: { stateDir: this.#stateDir, dataDir: join(this.#dir, 'data'), concurrency: 2 },
    };
    const before = this.#worker?.output ?? '';
    this.#worker = this.#program('worker-program.mjs', {
      WORKER_CONFIG: JSON.stringify(config),
      WORKER_SPEED: String(SPEED),
    });
    if (before !== '') this.story.push(`— an earlier life of the worker —\n${before}`);
  }

  #program(file: string, env: Record<string, string>): WorkerProcess {
    const child = spawn(process.execPath, [join('test/chaos', file)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SCALED_CLOCK_EPOCH: String(this.#epochMs), NODE_NO_WARNINGS: '1', ...env },
    });
    return follow(child);
  }

  async #submit(repo: string): Promise<void> {
    for (let i = 0; i < TASKS; i += 1) {
      const tag = `task${i}`;
      const task = await this.#api('POST', '/api/tasks', {
        description: `tag:${tag} calls:${CALLS}`,
        agentic: true,
        ...(i % 2 === 0 && { repo }),
      });
      this.#taskIds.set(tag, String(task.task_id));
    }
  }

  async #killWorker(): Promise<void> {
    if (this.#worker) await killed(this.#worker.child);
    await pause(this.#random() * 100);
    this.#startWorker();
  }

  async #killHub(): Promise<void> {
    if (this.#hub) await killed(this.#hub.child);
    await pause(this.#random() * 100);
    this.#startHub();
  }

  async #cut(): Promise<void> {
    this.#proxy?.cut();
  }

  async #freeze(): Promise<void> {
    this.#proxy?.freeze();
  }

  async #slow(): Promise<void> {
    if (this.#proxy) this.#proxy.weather = { ...this.#proxy.weather, delayMs: this.#random() * 60 };
  }

  async #duplicate(): Promise<void> {
    if (this.#proxy) this.#proxy.weather = { ...this.#proxy.weather, duplicates: this.#random() };
  }

  async #api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`http://127.0.0.1:${this.#hubPort}${path}`, {
      method,
      headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  /** Polls, since either side may be dead just now. */
  async #within(limitMs: number, what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    const giveUpMs = Date.now() + limitMs;
    for (;;) {
      try {
        if (await condition()) return;
      } catch (error) {
        if (Date.now() > giveUpMs) throw error;
      }
      if (Date.now() > giveUpMs) throw new Error(`waited ${limitMs} ms until ${what}`);
      await pause(25);
    }
  }

  /** Nothing runs and nothing waits to be told. */
  #atRest(): boolean {
    const db = new Sqlite(join(this.#stateDir, 'state.sqlite'), { readonly: true });
    try {
      const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
      return count('tasks') === 0 && count('outbox') === 0;
    } finally {
      db.close();
    }
  }

  async #endOf(name: string, one: WorkerProcess | undefined): Promise<void> {
    one?.child.kill('SIGTERM');
    const late = pause(15_000).then(() => 'late' as const);
    const ended = await Promise.race([one?.ended, late]);
    if (ended === 'late') this.broken.push(`the ${name} did not end within 15 s of SIGTERM`);
    else if (ended?.code !== 0) this.broken.push(`the ${name} ended with ${ended?.code ?? ended?.signal}`);
  }

  /** Every task ended in exactly one accepted result or as a dead letter. */
  #checkTasks(): void {
    const db = new Sqlite(join(this.#dir, 'hub.sqlite'), { readonly: true });
    const reasons = db.prepare<[string, string], number>(
      "SELECT count(*) FROM events WHERE task_id = ? AND kind = 'task' AND json_extract(body, '$.reason') = ?",
    );
    for (const [tag, id] of this.#taskIds) {
      const count = (reason: string) => Number(reasons.pluck().get(id, reason));
      const [completed, dead] = [count('completed'), count('dead_letter')];
      if (completed + dead !== 1) this.broken.push(`${tag}: ${completed} results and ${dead} dead letters`);
      const assigned = count('assigned');
      for (let call = 0; call < CALLS; call += 1) {
        const lines = this.#effects().filter((line) => line.startsWith(`${tag} ${call} `)).length;
        if (lines > assigned)
          this.broken.push(`${tag}: call ${call} ran ${lines} times in ${assigned} assignments`);
      }
    }
    db.close();
  }

  /** One answer of the model is one effect, whatever happened to the one who acted on it. */
  #checkEffects(): void {
    const ids = this.#effects().map((line) => line.split(' ')[2]);
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
    if (twice.length > 0) this.broken.push(`effects applied twice: ${twice.join(', ')}`);
  }

  #checkLeftovers(): void {
    const worktrees = join(this.#stateDir, 'worktrees');
    const folders = readdirSync(worktrees).filter((name) => !name.startsWith('.'));
    if (folders.length > 0) this.broken.push(`worktrees left: ${folders.join(', ')}`);
    if (existsSync(join(this.#stateDir, 'worker.lock'))) this.broken.push('the lock was left');
    const processes = processesWith(this.#dir);
    if (processes.length > 0) this.broken.push(`processes left: ${processes.join(', ')}`);
    if ((this.#proxy?.connections ?? 0) > 0) this.broken.push(`${this.#proxy?.connections} connections left`);
  }

  #effects(): string[] {
    if (!existsSync(this.#effectsFile)) return [];
    return readFileSync(this.#effectsFile, 'utf8').trim().split('\n').filter(Boolean);
  }
}

const pause = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Mulberry32: the same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
