/**
 * A started command: the one place that makes processes for commands. Each leads a process group of its own and
 * has no stdin, but for interactive programs. Under bubblewrap descriptor 3 reports the sandbox's process.
 */
import type { Readable, Writable } from 'node:stream';
import { launch, type Exit, type Launched, type Start } from '../../base/system/launcher.ts';
import { signalGroup } from '../../base/system/process-group.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { EnvironmentError } from '../files/environment-error.ts';
import { filterFile } from './syscall-filter.ts';

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
  /** It has no network. */
  isolated: boolean;
  /** A filter of system calls, for bubblewrap. */
  filter?: Buffer;
  /** Names what it may leave behind; a sandbox leaves nothing. */
  mark: string | undefined;
  /** Whether it is interactive. Default: it has no stdin. */
  stdin?: boolean;
}

export class CommandProcess {
  readonly sandboxed: boolean;
  readonly isolated: boolean;
  /** Names what it may leave behind; undefined for a sandbox, which leaves nothing. */
  readonly mark: string | undefined;
  /** Rejects with `COMMAND_NOT_STARTED` when there was no process at all. */
  readonly exited: Promise<Exit>;
  /** The sandbox's first process, once known. */
  sandboxPid: number | undefined;
  /** The sandbox reported the command's end, so it had begun. */
  sandboxReported = false;
  readonly #process: Launched;

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

  /** Undefined until it runs, and if there was no process at all. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Undefined unless the command is interactive. */
  get stdin(): Writable | undefined {
    return this.#process.stdin;
  }

  get stdout(): Readable {
    return this.#process.outputs[1] as Readable;
  }

  get stderr(): Readable {
    return this.#process.outputs[2] as Readable;
  }

  /** Everything that the child writes to this process. */
  get pipes(): Readable[] {
    return this.#process.outputs.filter((stream) => stream !== undefined);
  }

  /**
   * Signals the command. Under bubblewrap a SIGTERM goes to the sandbox's own group, whose first process takes none from outside:
   * the command ends in order. A SIGKILL of that first process ends everything in the sandbox.
   */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.sandboxPid, signal);
    if (!this.sandboxed || signal === 'SIGKILL') this.sweep(signal);
  }

  /** Ends what is left of the group; of a sandbox nothing is, once bubblewrap has ended. */
  sweep(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    this.#process.signal(signal);
  }

  /** Closes the pipes, even if other processes hold the other ends. */
  release(): void {
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
function descriptorsOf({ sandboxed, filter, stdin = false }: ProgramRequest): Start['descriptors'] {
  return [
    stdin ? 'pipe' : 'ignore',
    'pipe',
    'pipe',
    ...(sandboxed ? (['pipe'] as const) : []),
    ...(sandboxed && filter ? [filterFile(filter)] : []),
  ];
}
