/**
 * What runs of chaos happen to: a hub and a worker as processes, a proxy between them, a model that fails now and then.
 * A world lives through several runs; its processes are killed and started again in them. The protocol's waits pass on a
 * fast clock.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import { loopAlone } from '../support/loop-alone.ts';
import { freePort } from '../support/free-port.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { follow, killed, processesWith, type WorkerProcess } from '../support/worker-process.ts';
import { startEffectModel, type EffectModel } from './effect-model.ts';
import { startFrameProxy, type FrameProxy, type Weather } from './frame-proxy.ts';

/** How much faster than the world the programs' clocks run; a busy machine still answers in their time. */
const SPEED = '4';
/** Within this a process has ended that was asked to. */
const END_MS = 60_000;

export class ChaosWorld {
  /** Decides about faults of the model and repeated frames; each run brings its own. */
  random: () => number;
  readonly #dir = mkdtempSync(join(tmpdir(), 'sidecar-chaos-'));
  readonly #epochMs = Date.now();
  #pastOutput: string[] = [];
  #hubPort = 0;
  #repo = '';
  #hub: WorkerProcess | undefined;
  #worker: WorkerProcess | undefined;
  #proxy: FrameProxy | undefined;
  #model: EffectModel | undefined;

  constructor(random: () => number) {
    this.random = random;
  }

  async begin(): Promise<void> {
    const random = () => this.random();
    this.#hubPort = await freePort();
    this.#proxy = await startFrameProxy(() => this.#hubPort, random);
    this.#model = await startEffectModel({ file: this.#effectsFile, random, faults: 0.04 });
    const repo = sampleRepository(this.#dir);
    this.#startHub();
    this.#startWorker();
    await this.#hub?.wrote('ready');
    this.#repo = await repo;
  }

  /** Submits a task that makes `calls` effects, in the sample repository or in an empty folder; answers its id. */
  async submit(tag: string, calls: number, inRepository: boolean): Promise<string> {
    const task = await this.#api('POST', '/api/tasks', {
      description: `tag:${tag} calls:${calls}`,
      agentic: true,
      ...(inRepository && { repo: this.#repo }),
    });
    return String(task.task_id);
  }

  /** Throws while the hub is dead. */
  async statusOf(taskId: string): Promise<string> {
    return String((await this.#api('GET', `/api/tasks/${taskId}`)).status);
  }

  /** The next life begins after `pauseMs`. */
  async killWorker(pauseMs: number): Promise<void> {
    if (this.#worker) await this.#kill('worker', this.#worker);
    await pause(pauseMs);
    this.#startWorker();
  }

  async killHub(pauseMs: number): Promise<void> {
    if (this.#hub) await this.#kill('hub', this.#hub);
    await pause(pauseMs);
    this.#startHub();
  }

  cut(): void {
    this.#proxy?.cut();
  }

  freeze(): void {
    this.#proxy?.freeze();
  }

  /** The model server is away until `modelComesBack`. */
  async modelGoesAway(): Promise<void> {
    await this.#model?.goAway();
  }

  async modelComesBack(): Promise<void> {
    await this.#model?.comeBack();
  }

  set weather(weather: Partial<Weather>) {
    if (this.#proxy) this.#proxy.weather = { ...this.#proxy.weather, ...weather };
  }

  /** Nothing runs, nothing waits to be told, and no workspace is left. */
  isAtRest(): boolean {
    const db = new Sqlite(join(this.#stateDir, 'state.sqlite'), { readonly: true });
    try {
      const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
      return count('tasks') === 0 && count('outbox') === 0 && this.#worktrees().length === 0;
    } finally {
      db.close();
    }
  }

  /** How often the hub noted of the task that it was `completed`, `dead_letter`, `assigned`, … */
  notesOf(taskId: string): (reason: string) => number {
    const db = new Sqlite(join(this.#dir, 'hub.sqlite'), { readonly: true });
    const rows = db
      .prepare<[string], string>(
        "SELECT json_extract(body, '$.reason') FROM events WHERE task_id = ? AND kind = 'task'",
      )
      .pluck()
      .all(taskId);
    db.close();
    return (reason) => rows.filter((row) => row === reason).length;
  }

  /** Lines `<tag> <call> <answer id>`, in the order in which they were written. */
  effects(): string[] {
    if (!existsSync(this.#effectsFile)) return [];
    return readFileSync(this.#effectsFile, 'utf8').trim().split('\n').filter(Boolean);
  }

  /** What the processes wrote since this was asked last; empties what dead ones wrote. */
  takeOutput(): string[] {
    const past = this.#pastOutput;
    this.#pastOutput = [];
    return [...past, `— worker —\n${this.#worker?.output ?? ''}`, `— hub —\n${this.#hub?.output ?? ''}`];
  }

  /** Ends worker and hub in order; answers what they did not do well or left. */
  async finish(): Promise<string[]> {
    const broken = [
      ...(await endOf('worker', this.#worker, 'worker is up')),
      ...(await endOf('hub', this.#hub, 'ready')),
    ];
    const folders = this.#worktrees();
    if (folders.length > 0) broken.push(`worktrees left: ${folders.join(', ')}`);
    if (existsSync(join(this.#stateDir, 'worker.lock'))) broken.push('the lock was left');
    const processes = processesWith(this.#dir);
    if (processes.length > 0) broken.push(`processes left: ${processes.join(', ')}`);
    // The proxy hears of the processes' deaths a moment after them.
    const open = () => this.#proxy?.connections ?? 0;
    for (let i = 0; i < 100 && open() > 0; i += 1) await pause(20);
    if (open() > 0) broken.push(`${open()} connections left`);
    return broken;
  }

  /** Whatever state it is in: nothing of it is left. */
  async remove(): Promise<void> {
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

  #worktrees(): string[] {
    return readdirSync(join(this.#stateDir, 'worktrees')).filter((name) => !name.startsWith('.'));
  }

  async #kill(name: string, { child, output }: WorkerProcess): Promise<void> {
    await killed(child);
    this.#pastOutput.push(`— an earlier life of the ${name} —\n${output}`);
  }

  #startHub(): void {
    this.#hub = this.#program('hub-program.mjs', {
      HUB_DATABASE: join(this.#dir, 'hub.sqlite'),
      HUB_PORT: String(this.#hubPort),
      HUB_ADMIN_TOKEN: 'admin-token',
      HUB_WORKER_TOKEN: 'worker-token',
      HUB_SPEED: SPEED,
    });
  }

  #startWorker(): void {
    const config: ConfigInput = {
      ...loopAlone,
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
    this.#worker = this.#program('worker-program.mjs', {
      WORKER_CONFIG: JSON.stringify(config),
      WORKER_SPEED: SPEED,
    });
  }

  #program(file: string, env: Record<string, string>): WorkerProcess {
    const child = spawn(process.execPath, [join('test/chaos', file)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SCALED_CLOCK_EPOCH: String(this.#epochMs), NODE_NO_WARNINGS: '1', ...env },
    });
    return follow(child);
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
}

export const pause = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `up`: what it writes once it listens to signals. */
async function endOf(name: string, one: WorkerProcess | undefined, up: string): Promise<string[]> {
  // One that was started a moment ago does not listen to signals yet; one that ends before that is told of below.
  await one?.wrote(up).catch(() => undefined);
  one?.child.kill('SIGTERM');
  const waiting = new AbortController();
  const late = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), END_MS);
    waiting.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  const ended = await Promise.race([one?.ended, late]);
  waiting.abort();
  if (ended === 'late') return [`the ${name} did not end within ${END_MS / 1000} s of SIGTERM`];
  return ended?.code === 0 ? [] : [`the ${name} ended with ${ended?.code ?? ended?.signal}`];
}
