/**
 * Keeps one shell ready for the next command, since starting one takes longer than most commands run: the process is
 * there, in its sandbox where there is one, and waits for what to run. Each is used once and never shared. It
 * ends with the worker, whose end of its pipe closes, and an idle one keeps no process alive.
 */
import { CommandProcess, type ProgramRequest } from './command-process.ts';
import { ShellNursery } from './shell-nursery.ts';

/** A waiting shell reads its script byte by byte: longer ones are faster from the start. */
const MAX_WARM_CHARS = 4096;

export interface WarmStart {
  /** The program of a shell that waits for its script. */
  waiting: ProgramRequest;
  script: string;
  /** The program that runs the script by itself. */
  cold: () => ProgramRequest;
  another: boolean;
}

export class WarmShell {
  #ready: { process: CommandProcess; key: string } | undefined;
  readonly #shellPath: string;
  #nursery: { nursery: ShellNursery; key: string } | undefined;
  #isClosed = false;

  /** `shellPath`: the bash that starts the shells. */
  constructor(shellPath: string) {
    this.#shellPath = shellPath;
  }

  /**
   * Runs `script` in the shell that waits, where it is like `waiting` and the script is short; else in what `cold`
   * names. Then, where `another` is wanted, makes the next one ready. Throws what a start throws.
   */
  start({ waiting, script, cold, another }: WarmStart): CommandProcess {
    const ready = this.#take(waiting);
    try {
      if (ready && script.length <= MAX_WARM_CHARS) return ready.wake(script);
      ready?.discard();
      return new CommandProcess(cold());
    } finally {
      // After the command itself: a start holds up this process for a millisecond or two, in which the command runs.
      if (another) this.#prepare(waiting);
    }
  }

  /** A process that was started with exactly this request, or undefined. It is the caller's from then on. */
  #take(request: ProgramRequest): CommandProcess | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    if (!ready) return undefined;
    const { process, key } = ready;
    if (key === keyOf(request) && !process.hasExited && process.pid !== undefined) return process;
    ready.process.discard();
    return undefined;
  }

  /** Starts one ahead, unless there is one. Never throws: the command itself will meet the reason. */
  #prepare(request: ProgramRequest): void {
    if (this.#ready || this.#isClosed) return;
    try {
      const key = keyOf(request);
      const waiting = { ...request, waits: true };
      const child = ShellNursery.works ? this.#nurseryFor(waiting, key).start() : undefined;
      this.#ready = { process: new CommandProcess(waiting, child), key };
    } catch {
      this.#ready = undefined;
    }
  }

  /** Ends the one that waits, and resolves when it has. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ready = this.#ready;
    this.#ready = undefined;
    ready?.process.discard();
    this.#nursery?.nursery.retire();
    if (!ready) return;
    await ready.process.exited.catch(() => undefined);
  }

  #nurseryFor(request: ProgramRequest, key: string): ShellNursery {
    const current = this.#nursery;
    if (current?.key === key && !current.nursery.isSpent) return current.nursery;
    current?.nursery.retire();
    const nursery = new ShellNursery(request, this.#shellPath);
    this.#nursery = { nursery, key };
    return nursery;
  }
}

function keyOf({ file, args, env }: ProgramRequest): string {
  return JSON.stringify([file, args, env]);
}
