/**
 * Starts processes through a small process, the launcher. To start a process, the system copies the page tables of its parent, which takes
 * 0.04 to 0.1 ms for each MB of memory: 5 ms in a worker, but 1 ms in the launcher. The launcher is started on first use. It ends after a
 * minute without a process, or together with this process.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../values/errors.ts';
import { signalGroup } from './process-group.ts';

const IDLE_MS = 60_000;
/** Maximum size of output in memory that was not read yet. Beyond it, the launcher pauses reading. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** How long to wait for the exit of a killed process. */
const ABANDON_AFTER_MS = 10_000;

/** Description of a process to start. The process leads its own process group and session. */
export interface ProcessSpec {
  /** Path of the program, or a name that is searched in `env.PATH`. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** All environment variables of the process. */
  env: NodeJS.ProcessEnv;
  /** Kinds of the process's descriptors, from 0: a pipe, none, or the path of a file to read. */
  descriptors: readonly ('pipe' | 'ignore' | `/${string}`)[];
  /** Complete input on descriptor 0, which must be a pipe. */
  input?: string | Uint8Array;
}

/** Message to the launcher. `done`: the input has ended, or the process no longer matters to the caller. */
export type LauncherRequest = { id: number } & (
  | { start: ProcessSpec }
  | { write: string | Uint8Array }
  | { hold: number }
  | { resume: number }
  | { done: 'input' | 'all' }
);

/**
 * Message from the launcher. `open`: descriptors that were still open when the process exited. When one of them ends, a message with
 * undefined `data` follows.
 */
export type LauncherReport = { id: number } & (
  | { pid: number }
  | { error: string }
  | { fd: number; data: Uint8Array | undefined }
  | (ProcessExit & { open: number[] })
);

export interface ProcessExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that was started or is about to start. */
export interface RunningProcess {
  /** Process id; undefined before the start, and if the start failed. */
  readonly pid: number | undefined;
  readonly stdin: Writable | undefined;
  /** Outputs by descriptor; undefined if a descriptor is not a pipe. */
  readonly outputs: readonly (Readable | undefined)[];
  /** Resolves when the process exits. Rejects if it could not be started. */
  readonly exited: Promise<ProcessExit>;
  /** Sends a signal to the process group, as soon as the group exists. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Closes the pipes, even if other processes still hold their other ends. */
  release(): void;
}

/** Starts a process. Never throws: `exited` rejects if the process cannot be started. */
export const launch = (start: ProcessSpec): RunningProcess => prepareLauncher().launch(start);

/** Starts the launcher if it is not running, so that it is ready for the first process. */
export function prepareLauncher(): Pick<Launcher, 'launch'> {
  launcher = launcher?.isConnected ? launcher : new Launcher();
  return launcher;
}

let launcher: Launcher | undefined;

class Launcher {
  readonly #child: ChildProcess | undefined;
  readonly #processes = new Map<number, LaunchedProcess>();
  #startCount = 0;
  #exitTimer: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor() {
    try {
      this.#child = startLauncher();
      this.#child.on('message', (report: LauncherReport) => this.#processes.get(report.id)?.receive(report));
      this.#child.on('error', (error) => this.#failAll(error));
      this.#child.once('exit', () =>
        this.#failAll(new Error('the process launcher exited (internal; retry)')),
      );
      this.#scheduleExit();
    } catch (error) {
      queueMicrotask(() => this.#failAll(new Error(errorMessage(error))));
    }
  }

  get isConnected(): boolean {
    return !this.#isLost && this.#child?.connected === true;
  }

  launch(start: ProcessSpec): RunningProcess {
    clearTimeout(this.#exitTimer);
    this.#startCount += 1;
    const id = this.#startCount;
    const process = new LaunchedProcess(
      id,
      start,
      (request) => this.#send(request),
      () => this.#forget(id),
    );
    this.#processes.set(id, process);
    this.#setReferenced(true);
    this.#send({ id, start });
    return process;
  }

  #failAll(error: Error): void {
    this.#isLost = true;
    for (const process of this.#processes.values()) process.fail(error);
  }

  #send(request: LauncherRequest): void {
    // An error of sending is ignored, since the launcher's `exit` event reports that the launcher ended.
    if (this.#child?.connected) this.#child.send(request, () => undefined);
  }

  #forget(id: number): void {
    if (this.#processes.delete(id) && this.#processes.size === 0) this.#scheduleExit();
  }

  #scheduleExit(): void {
    this.#setReferenced(false);
    this.#exitTimer = setTimeout(() => {
      // A launcher that could not be started has no channel, and closing it would be an error.
      if (this.#child?.connected) this.#child.disconnect();
    }, IDLE_MS).unref();
  }

  /** Lets this process keep running as long as a process that it started runs. */
  #setReferenced(isReferenced: boolean): void {
    const method = isReferenced ? 'ref' : 'unref';
    this.#child?.[method]();
    this.#child?.channel?.[method]();
  }
}

function startLauncher(): ChildProcess {
  // Started processes would inherit these descriptors, and through an open folder a command could leave any sandbox.
  const inheritedFds = findInheritedFds();
  const nullFd = inheritedFds.length > 0 ? openSync('/dev/null', 'r') : undefined;
  const stdio: ('ignore' | 'ipc' | number | undefined)[] = ['ignore', 'ignore', 'ignore'];
  for (const fd of inheritedFds) stdio[fd] = nullFd;
  try {
    return fork(fileURLToPath(new URL('./launcher-process.mjs', import.meta.url)), {
      cwd: '/',
      env: {},
      execArgv: ['--max-semi-space-size=1'],
      // The launcher leads its own process group, so that signals to this process's group do not reach it.
      detached: true,
      serialization: 'advanced',
      stdio: [...Array.from(stdio, (entry) => entry ?? 'ignore'), 'ipc'],
    });
  } finally {
    if (nullFd !== undefined) closeSync(nullFd);
  }
}

const CLOSE_ON_EXEC = 0o2000000;
const MAX_DESCRIPTOR = 1024;

/** Returns the descriptors above 2 that this process inherited and that child processes would inherit, too. Returns none without /proc. */
function findInheritedFds(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && fd < MAX_DESCRIPTOR && isInherited(fd));
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

class LaunchedProcess implements RunningProcess {
  pid: number | undefined;
  readonly stdin: Writable | undefined;
  readonly outputs: readonly (Readable | undefined)[];
  readonly exited: Promise<ProcessExit>;
  readonly #id: number;
  readonly #send: (request: LauncherRequest) => void;
  readonly #forget: () => void;
  readonly #pausedFds = new Set<number>();
  #resolve!: (exit: ProcessExit) => void;
  #reject!: (error: Error) => void;
  #requestedSignal: 'SIGTERM' | 'SIGKILL' | undefined;
  #hasExited = false;
  /** Whether the launcher no longer tracks the process. */
  #isReleased = false;

  constructor(id: number, start: ProcessSpec, send: (request: LauncherRequest) => void, forget: () => void) {
    this.#id = id;
    this.#send = send;
    this.#forget = forget;
    this.exited = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Callers that do not wait for the exit ignore the error.
    this.exited.catch(() => undefined);
    this.outputs = start.descriptors.map((entry, fd) =>
      entry === 'pipe' && fd > 0 ? this.#createOutput(fd) : undefined,
    );
    if (start.descriptors[0] === 'pipe' && start.input === undefined) this.stdin = this.#createInput();
  }

  receive(report: LauncherReport): void {
    if ('pid' in report) {
      this.pid = report.pid;
      if (this.#requestedSignal !== undefined) this.signal(this.#requestedSignal);
    } else if ('error' in report) this.fail(new Error(report.error));
    else if ('exitCode' in report) {
      this.#hasExited = true;
      this.#isReleased = report.open.length === 0;
      for (const fd of this.outputs.keys()) if (!report.open.includes(fd)) this.#push(fd, undefined);
      this.#resolve({ exitCode: report.exitCode, signal: report.signal });
    } else this.#push(report.fd, report.data);
  }

  /** Marks the process as failed, because the launcher was lost or the process could not be started. */
  fail(error: Error): void {
    if (!this.#hasExited) this.signal('SIGKILL');
    this.#reject(error);
    this.release();
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const isFirstKill = signal === 'SIGKILL' && this.#requestedSignal !== 'SIGKILL';
    this.#requestedSignal = signal;
    signalGroup(this.pid, signal);
    if (isFirstKill && !this.#hasExited) setTimeout(() => this.#abandon(), ABANDON_AFTER_MS).unref();
  }

  /** Ends the wait for a process that does not end although it was killed: it waits for a device, or this user may not end it. */
  #abandon(): void {
    if (this.#hasExited) return;
    this.#resolve({ exitCode: null, signal: 'SIGKILL' });
    this.release();
  }

  release(): void {
    for (const stream of [this.stdin, ...this.outputs]) stream?.destroy();
    if (!this.#isReleased) this.#send({ id: this.#id, done: 'all' });
    this.#isReleased = true;
    this.#forget();
  }

  #push(fd: number, data: Uint8Array | undefined): void {
    const output = this.outputs[fd];
    if (!output || output.destroyed) return;
    const bytes = data && Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (output.push(bytes ?? null) || bytes === undefined) return;
    this.#pausedFds.add(fd);
    this.#send({ id: this.#id, hold: fd });
  }

  #createOutput(fd: number): Readable {
    const read = (): void => {
      if (this.#pausedFds.delete(fd)) this.#send({ id: this.#id, resume: fd });
    };
    return new Readable({ read, highWaterMark: MAX_UNREAD_BYTES });
  }

  #createInput(): Writable {
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
