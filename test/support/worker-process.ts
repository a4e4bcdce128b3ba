/**
 * The built worker in a process of its own (`dist/cli.js start`), against a hub of this process: to be signalled,
 * killed and started again. What it logs is kept; every process is gone after the test.
 */
import { afterEach } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import { loopAlone } from './loop-alone.ts';
import type { TestSystem } from './sidecar.ts';

const running = new Set<ChildProcess>();
afterEach(async () => {
  await Promise.all([...running].map((child) => killed(child)));
});

export interface WorkerPlace {
  /** Where the state folder `<dir>/<name>` and the data folder are. */
  dir: string;
  hubUrl: string;
  modelUrl: string;
  token: string;
}

/** Where worker `name` of a system belongs; its token is a new one. */
export async function workerPlace({ dir, hub, model }: TestSystem, name: string): Promise<WorkerPlace> {
  const token = await hub.issueToken('worker', name);
  return { dir, hubUrl: hub.wsUrl, modelUrl: model.url, token };
}

export interface WorkerEnding {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<WorkerEnding>;
  /** Everything it wrote, logs in JSON lines. */
  readonly output: string;
  /** Resolves once it has written `text`; rejects when it ends before. */
  wrote(text: string): Promise<void>;
  /** Connected to the hub. */
  ready(): Promise<void>;
}

export interface WorkerProcessOptions {
  /** Words put before the command, such as a shell that sets a limit. */
  wrapper?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** Starts `ollama-sidecar start` as worker `name` with the model `m` and, unless told otherwise, no sandbox. */
export function startWorkerProcess(
  place: WorkerPlace,
  name: string,
  config: ConfigInput = {},
  options: WorkerProcessOptions = {},
): WorkerProcess {
  const file = join(place.dir, `${name}.json`);
  writeFileSync(file, JSON.stringify(configFor(place, name, config)));
  const started = [process.execPath, 'dist/cli.js', 'start', '--config', file];
  const [command, ...args] = options.wrapper ? [...options.wrapper, ...started] : started;
  const child = spawn(command ?? process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SIDECAR_TOKEN: place.token, NODE_NO_WARNINGS: '1', ...options.env },
  });
  return follow(child);
}

/** The same for a worker of `system`; resolves once it is connected. */
export async function readyWorker(
  system: TestSystem,
  name: string,
  config: ConfigInput = {},
): Promise<WorkerProcess> {
  const started = startWorkerProcess(await workerPlace(system, name), name, config);
  await started.ready();
  return started;
}

function configFor(place: WorkerPlace, name: string, config: ConfigInput): ConfigInput {
  return {
    ...loopAlone,
    ...config,
    hub: { url: place.hubUrl, agentId: name, ...config.hub },
    ollama: { url: place.modelUrl, ...config.ollama },
    model: { default: 'm', ...config.model },
    sandbox: { mode: 'off', ...config.sandbox },
    observability: { logLevel: 'debug', ...config.observability },
    worker: { stateDir: join(place.dir, name), dataDir: join(place.dir, 'data'), ...config.worker },
  };
}

/** Keeps what `child` writes and lets tests wait for it. */
export function follow(child: ChildProcess): WorkerProcess {
  running.add(child);
  let output = '';
  let listeners: (() => void)[] = [];
  const heard = (chunk: Buffer) => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout?.on('data', heard);
  child.stderr?.on('data', heard);
  const ended = new Promise<WorkerEnding>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const wrote = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!output.includes(text)) return;
        listeners = listeners.filter((one) => one !== look);
        resolve();
      };
      listeners.push(look);
      look();
      void ended.then(({ code, signal }) =>
        reject(new Error(`ended with ${code ?? signal} without writing ${text}:\n${output.slice(-2_000)}`)),
      );
    });
  return {
    child,
    ended,
    wrote,
    ready: () => wrote('"state":"ready"'),
    get output() {
      return output;
    },
  };
}

/** Kills it as a power cut would; resolves when it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Ids of living processes whose command line or environment contains `text`; this one is not counted. */
export function processesWith(text: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const living = ['cmdline', 'environ'].some((file) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });
    if (living) found.push(Number(name));
  }
  return found;
}
