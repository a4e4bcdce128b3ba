/**
 * Starts processes through a small one, the launcher. The system copies the page tables of the process that starts one, which
 * costs 0.04 to 0.1 ms for each MB of its memory: a worker takes 5 ms for what the launcher does in one. It is started when
 * it is first needed and ends after a minute without a process, or with the process that it works for.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../values/errors.ts';
import { signalGroup } from './process-group.ts';

const IDLE_MS = 60_000;
/** Held of an output that is not read. */
const HELD_BYTES = 1024 * 1024;

/** A process to start. It leads a process group and a session of its own. */
export interface Start {
  /** Looked for in `env.PATH`. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** All of its variables. */
  env: NodeJS.ProcessEnv;
  /** Its descriptors from 0: a pipe, nothing, or a file that it may read. */
  descriptors: readonly ('pipe' | 'ignore' | `/${string}`)[];
  /** All that it can read from descriptor 0, a pipe. */
  input?: string | Uint8Array;
}

/** To the launcher. `done`: no more input comes, or nothing of the process is wanted any more. */
export type Order = { id: number } & (
  | { start: Start }
  | { write: string | Uint8Array }
  | { hold: number }
  | { resume: number }
  | { done: 'input' | 'all' }
);

/** From it. `data` without bytes is the end of a descriptor. */
export type Report = { id: number } & (
  { pid: number } | { error: string } | { fd: number; data: Uint8Array | undefined } | Exit
);

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that was started, or is about to be. */
export interface Launched {
  /** Undefined until it runs, and if it could not be started. */
  readonly pid: number | undefined;
  readonly stdin: Writable | undefined;
  /** Its outputs, by descriptor; undefined for those that are no pipe. */
  readonly outputs: readonly (Readable | undefined)[];
  /** Rejects if it could not be started. */
  readonly exited: Promise<Exit>;
  /** Signals its group, as soon as there is one. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Closes its pipes, even if other processes hold the other ends. */
  release(): void;
}

/** Starts a process. Never throws: `exited` rejects if it cannot be started. */
export const launch = (start: Start): Launched => prepareLauncher().launch(start);

/** Starts the launcher if it does not run, so that it is there when the first process is needed. */
export function prepareLauncher(): Pick<Launcher, 'launch'> {
  launcher = launcher?.isThere ? launcher : new Launcher();
  return launcher;
}

let launcher: Launcher | undefined;

class Launcher {
  readonly #child: ChildProcess | undefined;
  readonly #processes = new Map<number, LaunchedProcess>();
  #starts = 0;
  #ending: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor() {
    try {
      this.#child = startLauncher();
      this.#child.on('message', (report: Report) => this.#processes.get(report.id)?.receive(report));
      this.#child.once('error', (error) => this.#lose(error));
      this.#child.once('exit', () => this.#lose(new Error('the process launcher exited (internal; retry)')));
      this.#rest();
    } catch (error) {
      queueMicrotask(() => this.#lose(new Error(errorMessage(error))));
    }
  }

  get isThere(): boolean {
    return !this.#isLost && this.#child?.connected === true;
  }

  launch(start: Start): Launched {
    clearTimeout(this.#ending);
    this.#starts += 1;
    const id = this.#starts;
    const process = new LaunchedProcess(
      id,
      start,
      (order) => this.#send(order),
      () => this.#forget(id),
    );
    this.#processes.set(id, process);
    this.#hold(true);
    this.#send({ id, start });
    return process;
  }

  #lose(error: Error): void {
    this.#isLost = true;
    for (const process of this.#processes.values()) process.lose(error);
  }

  #send(order: Order): void {
    // The end of a launcher is reported by its `exit`.
    if (this.#child?.connected) this.#child.send(order, () => undefined);
  }

  #forget(id: number): void {
    if (this.#processes.delete(id) && this.#processes.size === 0) this.#rest();
  }

  #rest(): void {
    this.#hold(false);
    this.#ending = setTimeout(() => this.#child?.disconnect(), IDLE_MS).unref();
  }

  /** This process stays as long as one that it started runs. */
  #hold(holds: boolean): void {
    const act = holds ? 'ref' : 'unref';
    this.#child?.[act]();
    this.#child?.channel?.[act]();
  }
}

function startLauncher(): ChildProcess {
  // A process would inherit these, and an open folder is a way out of any sandbox.
  const inherited = findInheritedFds();
  const nothing = inherited.length > 0 ? openSync('/dev/null', 'r') : undefined;
  const stdio: ('ignore' | 'ipc' | number | undefined)[] = ['ignore', 'ignore', 'ignore'];
  for (const fd of inherited) stdio[fd] = nothing;
  try {
    return fork(fileURLToPath(new URL('./launcher-process.mjs', import.meta.url)), {
      cwd: '/',
      env: {},
      execArgv: ['--max-semi-space-size=1'],
      // A signal for this process's group is not for it.
      detached: true,
      serialization: 'advanced',
      stdio: [...Array.from(stdio, (entry) => entry ?? 'ignore'), 'ipc'],
    });
  } finally {
    if (nothing !== undefined) closeSync(nothing);
  }
}

const CLOSE_ON_EXEC = 0o2000000;
const HIGHEST = 1024;

/** Returns the descriptors above 2 that a child would inherit, of those that this process got from its parent; none without /proc. */
function findInheritedFds(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && fd < HIGHEST && isInherited(fd));
  } catch {
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

class LaunchedProcess implements Launched {
  pid: number | undefined;
  readonly stdin: Writable | undefined;
  readonly outputs: readonly (Readable | undefined)[];
  readonly exited: Promise<Exit>;
  readonly #id: number;
  readonly #send: (order: Order) => void;
  readonly #forget: () => void;
  readonly #held = new Set<number>();
  #resolve!: (exit: Exit) => void;
  #reject!: (error: Error) => void;
  #wanted: 'SIGTERM' | 'SIGKILL' | undefined;
  #isOver = false;

  constructor(id: number, start: Start, send: (order: Order) => void, forget: () => void) {
    this.#id = id;
    this.#send = send;
    this.#forget = forget;
    this.exited = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that does not wait for the end ignores the error.
    this.exited.catch(() => undefined);
    this.outputs = start.descriptors.map((entry, fd) =>
      entry === 'pipe' && fd > 0 ? this.#output(fd) : undefined,
    );
    if (start.descriptors[0] === 'pipe' && start.input === undefined) this.stdin = this.#input();
  }

  receive(report: Report): void {
    if ('pid' in report) {
      this.pid = report.pid;
      if (this.#wanted !== undefined) this.signal(this.#wanted);
    } else if ('error' in report) this.lose(new Error(report.error));
    else if ('exitCode' in report) {
      this.#isOver = true;
      this.#resolve({ exitCode: report.exitCode, signal: report.signal });
    } else this.#push(report.fd, report.data);
  }

  /** Ends a process whose launcher is lost. */
  lose(error: Error): void {
    if (!this.#isOver) this.signal('SIGKILL');
    this.#reject(error);
    this.release();
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#wanted = signal;
    signalGroup(this.pid, signal);
  }

  release(): void {
    for (const stream of [this.stdin, ...this.outputs]) stream?.destroy();
    this.#send({ id: this.#id, done: 'all' });
    this.#forget();
  }

  #push(fd: number, data: Uint8Array | undefined): void {
    const output = this.outputs[fd];
    if (!output || output.destroyed) return;
    const bytes = data && Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (output.push(bytes ?? null) || bytes === undefined) return;
    this.#held.add(fd);
    this.#send({ id: this.#id, hold: fd });
  }

  #output(fd: number): Readable {
    const read = (): void => {
      if (this.#held.delete(fd)) this.#send({ id: this.#id, resume: fd });
    };
    return new Readable({ read, highWaterMark: HELD_BYTES });
  }

  #input(): Writable {
    return new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.#send({ id: this.#id, write: chunk });
        done();
      },
      final: (done) => {
        this.#send({ id: this.#id, done: 'input' });
        done();
      },
    });
  }
}
