/**
 * A started command: the one place that makes processes for commands. Each leads a process group of its own and
 * has no stdin, but for programs that are spoken to. Under bubblewrap descriptor 3 says which process is the sandbox's.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { signalGroup } from '../system/process-group.ts';
import { errorMessage } from '../values/errors.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import { FILTER_FD } from './sandbox.ts';
import { openFilter } from './syscall-filter.ts';

/** Where bubblewrap reports the sandbox's first process. */
export const STATUS_FD = 3;
const MAX_STATUS_CHARS = 4096;

interface ProgramRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** The file is bubblewrap and reports on descriptor 3. */
  sandboxed: boolean;
  /** A filter of system calls, for bubblewrap. */
  filter?: Buffer;
  /** Names what it may leave behind; a sandbox leaves nothing. */
  mark: string | undefined;
  /** Whether it is spoken to. Default: it has no stdin. */
  stdin?: boolean;
  /** Descriptors of this process that a child would inherit; it gets /dev/null in their place. */
  inheritedFds: readonly number[];
}

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export class CommandProcess {
  readonly sandboxed: boolean;
  /** Names what it may leave behind; undefined for a sandbox, which leaves nothing. */
  readonly mark: string | undefined;
  /** Rejects with `COMMAND_NOT_STARTED` when there was no process at all. */
  readonly exited: Promise<Exit>;
  /** The sandbox's first process, once known. */
  sandboxPid: number | undefined;
  /** The sandbox said how the command ended, so there was one. */
  sandboxReported = false;
  readonly #child: ChildProcess;

  /** Throws `COMMAND_NOT_STARTED` where the system refuses at once. */
  constructor(request: ProgramRequest) {
    this.sandboxed = request.sandboxed;
    this.mark = request.mark;
    this.#child = start(request);
    this.exited = new Promise((resolve, reject) => {
      this.#child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
      this.#child.once('error', (error) => reject(notStarted(error)));
    });
    if (request.sandboxed) this.#readStatus(this.#child.stdio[STATUS_FD] as Readable);
  }

  /** Undefined where there was no process at all. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Undefined where the command is not spoken to. */
  get stdin(): Writable | undefined {
    return this.#child.stdin ?? undefined;
  }

  get stdout(): Readable {
    return this.#child.stdout as Readable;
  }

  get stderr(): Readable {
    return this.#child.stderr as Readable;
  }

  /** Everything that the child writes to this process. */
  get pipes(): Readable[] {
    return this.#child.stdio.slice(1).filter((stream) => stream instanceof Readable);
  }

  /**
   * Under bubblewrap a SIGTERM goes to the sandbox's own group: its first process, which takes none from
   * outside, stays and the command ends in order. A SIGKILL of that first process ends everything in it.
   */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.sandboxPid, signal);
    if (!this.sandboxed || signal === 'SIGKILL') this.sweep(signal);
  }

  /** Ends what is left of the group; of a sandbox nothing is, once bubblewrap has ended. */
  sweep(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    signalGroup(this.#child.pid, signal);
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
}

function start(request: ProgramRequest): ChildProcess {
  const { file, args, cwd, env, sandboxed, filter, stdin = false, inheritedFds } = request;
  const stdio: (Stdio | undefined)[] = [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'];
  if (sandboxed) stdio[STATUS_FD] = 'pipe';
  // Only an open file takes the place of an inherited descriptor: 'ignore' leaves those above 2 as they are.
  const nothing = inheritedFds.length > 0 ? openSync('/dev/null', 'r') : undefined;
  const filterFd = filter && openFilter(filter);
  if (filterFd !== undefined) stdio[FILTER_FD] = filterFd;
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
    for (const fd of [nothing, filterFd]) if (fd !== undefined) closeSync(fd);
  }
}

type Stdio = 'ignore' | 'pipe' | number;

function notStarted(error: unknown): EnvironmentError {
  const reason = errorMessage(error);
  return new EnvironmentError('COMMAND_NOT_STARTED', `The command could not be started: ${reason}`, {
    cause: error,
  });
}
