/**
 * A started command: the one place that makes processes for commands. Each leads a process group of its own and
 * has no stdin. Under bubblewrap descriptor 3 tells which process holds the sandbox; a process that was started
 * ahead waits on descriptor 4 for its command and keeps nothing alive until then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { errorMessage } from '../values/errors.ts';
import type { CommandShell, ProcessLimits } from './command-shell.ts';
import { EnvironmentError } from './environment-error.ts';
import { signalGroup } from './process-groups.ts';

const STATUS_FD = 3;
const COMMAND_FD = 4;
const MAX_STATUS_CHARS = 4096;

export interface ProgramRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** The file is bubblewrap and reports on descriptor 3. */
  sandboxed: boolean;
  /** The program waits on descriptor 4 for what to do; see `wake`. */
  waits?: boolean;
  /** Descriptors of this process that a child would inherit; it gets /dev/null in their place. */
  inheritedFds?: readonly number[];
}

/** A process, whoever forked it. */
export interface StartedChild {
  /** Known once it runs. */
  readonly pid: number | undefined;
  /** By descriptor, from this side. */
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  /** Rejects when there was no process at all. */
  readonly exited: Promise<Exit>;
  /** Sends a signal to its group. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Whether it keeps this process alive. */
  ref(): void;
  unref(): void;
}

/** What any way of starting the commands of one workspace has to know. */
export interface StarterOptions {
  shell: CommandShell;
  limits: ProcessLimits;
  /** Real path of the workspace. */
  root: string;
  env: Record<string, string>;
  inheritedFds: readonly number[];
}

/** Starts the commands of one workspace. */
export interface CommandStarter {
  /** Throws `COMMAND_NOT_STARTED` where the system refuses at once. */
  start(command: string, cwd: string, network: boolean): StartedCommand;
  /** Ends what was started ahead, and resolves when it has. */
  close(): Promise<void>;
}

export interface StartedCommand {
  process: CommandProcess;
  /** Names what it may leave behind; a sandbox leaves nothing. */
  mark?: string;
}

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export class CommandProcess {
  readonly sandboxed: boolean;
  /** Rejects with `COMMAND_NOT_STARTED` when there was no process at all. */
  readonly exited: Promise<Exit>;
  hasExited = false;
  /** The sandbox's first process, once known. */
  sandboxPid: number | undefined;
  /** The sandbox said how the command ended, so there was one. */
  sandboxReported = false;
  readonly #child: StartedChild;

  /** `child`: started already for this request. Throws `COMMAND_NOT_STARTED` where the system refuses at once. */
  constructor(request: ProgramRequest, child: StartedChild = forked(request)) {
    this.sandboxed = request.sandboxed;
    this.#child = child;
    this.exited = child.exited.finally(() => {
      this.hasExited = true;
    });
    // Whoever runs the process awaits this; one that is never run must not count as an unhandled rejection.
    this.exited.catch(() => undefined);
    if (request.sandboxed) this.#readStatus(this.#child.stdio[STATUS_FD] as Readable);
    if (request.waits) this.#letGo();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get stdout(): Readable {
    return this.#child.stdio[1] as Readable;
  }

  get stderr(): Readable {
    return this.#child.stdio[2] as Readable;
  }

  /** Everything that the child holds open towards this process, but its stdin. */
  get pipes(): Readable[] {
    return this.#child.stdio.slice(1, COMMAND_FD).filter((stream) => stream instanceof Readable);
  }

  /** Hands its command to a process that waits, and is it; may be called once. */
  wake(script: string): this {
    this.#child.ref();
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.ref();
    (this.#child.stdio[COMMAND_FD] as Writable).end(`${script}\0`);
    return this;
  }

  /** Ends a process that waits without having been used. */
  discard(): void {
    // Its exit is awaited by whoever cleans up.
    this.#child.ref();
    this.signal('SIGKILL');
    this.release();
  }

  /**
   * Under bubblewrap a SIGTERM goes to the sandbox's own group: its first process, which takes none from
   * outside, stays and the command ends in order. A SIGKILL of that first process ends everything in it.
   */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.sandboxPid !== undefined) signalGroup(this.sandboxPid, signal);
    if (!this.sandboxed || signal === 'SIGKILL') this.sweep(signal);
  }

  /** Ends what is left of the group; of a sandbox nothing is, once bubblewrap has ended. */
  sweep(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    this.#child.signal(signal);
  }

  /** Lets go of the pipes, whoever still holds the other ends. */
  release(): void {
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #readStatus(status: Readable): void {
    let text = '';
    status.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(0, MAX_STATUS_CHARS);
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) this.sandboxPid = Number(pid);
      this.sandboxReported = text.includes('"exit-code"');
    });
    status.on('error', () => undefined);
  }

  #letGo(): void {
    this.#child.unref();
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.unref();
    // The process may be gone when its command comes; its exit tells.
    this.#child.stdio[COMMAND_FD]?.on('error', () => undefined);
  }
}

/** Forks this process. */
function forked(request: ProgramRequest): StartedChild {
  const child = start(request);
  return {
    get pid() {
      return child.pid;
    },
    stdio: child.stdio,
    exited: new Promise((resolve, reject) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
      child.once('error', (error) => reject(notStarted(error)));
    }),
    signal: (signal) => {
      if (child.pid !== undefined) signalGroup(child.pid, signal);
    },
    ref: () => child.ref(),
    unref: () => child.unref(),
  };
}

function start(request: ProgramRequest): ChildProcess {
  const { file, args, cwd, env, sandboxed, waits, inheritedFds = [] } = request;
  const stdio: (Stdio | undefined)[] = ['ignore', 'pipe', 'pipe'];
  if (sandboxed) stdio[STATUS_FD] = 'pipe';
  if (waits) stdio[COMMAND_FD] = 'pipe';
  // Only an open file takes the place of an inherited descriptor: 'ignore' leaves those above 2 as they are.
  const nothing = inheritedFds.length > 0 ? openSync('/dev/null', 'r') : undefined;
  for (const fd of inheritedFds) stdio[fd] ??= nothing;
  try {
    return spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: Array.from(stdio, (entry) => entry ?? 'ignore'),
    });
  } catch (error) {
    throw notStarted(error);
  } finally {
    if (nothing !== undefined) closeSync(nothing);
  }
}

type Stdio = 'ignore' | 'pipe' | number;

function notStarted(error: unknown): EnvironmentError {
  const reason = errorMessage(error);
  return new EnvironmentError('COMMAND_NOT_STARTED', `The command could not be started: ${reason}`, {
    cause: error,
  });
}
