/**
 * Starts the processes of commands; no other module does. Each process leads its own process group. Only interactive programs have stdin.
 * bubblewrap reports the process of the sandbox on descriptor 3.
 */
import type { Readable, Writable } from 'node:stream';
import {
  launch,
  type ProcessExit,
  type RunningProcess,
  type ProcessSpec,
} from '../../base/system/launcher.ts';
import { signalGroup } from '../../base/system/process-group.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import { getFilterPath } from './syscall-filter.ts';

/** Descriptor on which bubblewrap reports the sandbox's first process. */
export const STATUS_FD = 3;
const MAX_STATUS_CHARS = 4096;

interface ProgramRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Whether `file` is bubblewrap, which reports on descriptor 3. */
  sandboxed: boolean;
  /** Whether the program has no network. */
  isolated: boolean;
  /** System call filter, which bubblewrap installs. */
  syscallFilter?: Buffer;
  /** Identifies processes that the program may leave behind; undefined in a sandbox, since none remain there. */
  mark: string | undefined;
  /** Whether the program has an open stdin. Default: it has none. */
  stdin?: boolean;
}

export class CommandProcess {
  readonly sandboxed: boolean;
  readonly isolated: boolean;
  /** Identifies processes that the command may leave behind; undefined in a sandbox, since none remain there. */
  readonly mark: string | undefined;
  /** Resolves when the command exits. Rejects with `COMMAND_NOT_STARTED` if it could not be started. */
  readonly exited: Promise<ProcessExit>;
  /** Id of the first process of the sandbox, once known. */
  sandboxPid: number | undefined;
  /** Whether the sandbox reported the end of the command, which proves that the command had started. */
  sandboxReported = false;
  readonly #process: RunningProcess;

  constructor(request: ProgramRequest) {
    this.sandboxed = request.sandboxed;
    this.isolated = request.isolated;
    this.mark = request.mark;
    const { file, args, cwd, env } = request;
    this.#process = launch({ file, args, cwd, env, descriptors: descriptorsOf(request) });
    this.exited = this.#process.exited.catch((error: unknown) => {
      const reason = errorMessage(error);
      throw new EnvironmentError('COMMAND_NOT_STARTED', `The command could not be started: ${reason}`, {
        cause: error,
      });
    });
    if (request.sandboxed) this.#readStatus(this.#process.outputs[STATUS_FD] as Readable);
  }

  /** The process id; undefined before the start, and if the start failed. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The command's stdin; undefined unless the command is interactive. */
  get stdin(): Writable | undefined {
    return this.#process.stdin;
  }

  get stdout(): Readable {
    return this.#process.outputs[1] as Readable;
  }

  get stderr(): Readable {
    return this.#process.outputs[2] as Readable;
  }

  /** All pipes from the child to this process. */
  get pipes(): Readable[] {
    return this.#process.outputs.filter((stream) => stream !== undefined);
  }

  /**
   * Signals the command. With bubblewrap, SIGTERM goes to the process group in the sandbox, since the sandbox's first process ignores
   * signals from outside. The command can thus end in order. SIGKILL goes to that first process and ends everything in the sandbox.
   */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.sandboxPid, signal);
    if (!this.sandboxed || signal === 'SIGKILL') this.killGroup(signal);
  }

  /** Ends the remaining processes of the group; a sandbox has none once bubblewrap has ended. */
  killGroup(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    this.#process.signal(signal);
  }

  /** Closes the pipes, even if other processes hold the other ends. */
  closePipes(): void {
    this.#process.release();
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

/** Returns the child's descriptors in order: `STATUS_FD` and `FILTER_FD` follow stderr. */
function descriptorsOf({
  sandboxed,
  syscallFilter,
  stdin = false,
}: ProgramRequest): ProcessSpec['descriptors'] {
  return [
    stdin ? 'pipe' : 'ignore',
    'pipe',
    'pipe',
    ...(sandboxed ? (['pipe'] as const) : []),
    ...(sandboxed && syscallFilter ? [getFilterPath(syscallFilter)] : []),
  ];
}
