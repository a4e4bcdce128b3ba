/**
 * Starts commands of one workspace without a sandbox: in the shell that waits, or in a new one. Each process carries
 * a mark of its own in its environment, by which what it leaves behind is found.
 */
import {
  CommandProcess,
  type CommandStarter,
  type ProgramRequest,
  type StartedCommand,
} from './command-process.ts';
import {
  type CommandShell,
  inFolder,
  type ProcessLimits,
  shellArguments,
  waitingShellArguments,
} from './command-shell.ts';
import { MARKER_VARIABLE } from './process-groups.ts';
import { MAX_WARM_CHARS, WarmShell } from './warm-shell.ts';

export interface PlainStarterOptions {
  shell: CommandShell;
  limits: ProcessLimits;
  /** Real path of the workspace. */
  root: string;
  env: Record<string, string>;
  inheritedFds: readonly number[];
  /** Begins the mark of each process. */
  mark: string;
}

export class PlainStarter implements CommandStarter {
  readonly #options: PlainStarterOptions;
  readonly #warm = new WarmShell();
  #waiting: { request: ProgramRequest; mark: string } | undefined;
  #starts = 0;

  constructor(options: PlainStarterOptions) {
    this.#options = options;
  }

  start(command: string, cwd: string): StartedCommand {
    const { root, shell, limits } = this.#options;
    const waiting = this.#waiting;
    const ready = waiting && this.#warm.take(waiting.request);
    try {
      const script = cwd === root ? command : inFolder(cwd, command);
      if (ready && script.length <= MAX_WARM_CHARS)
        return { process: ready.wake(script), mark: waiting.mark };
      ready?.discard();
      const { request, mark } = this.#program(cwd, shellArguments(shell, command, limits));
      return { process: new CommandProcess(request), mark };
    } finally {
      // After the command itself: a start holds up this process for a millisecond or two, in which the command runs.
      if (shell.isBash) this.#prepare();
    }
  }

  async close(): Promise<void> {
    await this.#warm.close();
  }

  #prepare(): void {
    const { root, shell, limits } = this.#options;
    this.#waiting = this.#program(root, waitingShellArguments(shell, limits));
    this.#warm.prepare(this.#waiting.request);
  }

  #program(cwd: string, args: string[]): { request: ProgramRequest; mark: string } {
    const { shell, env, inheritedFds } = this.#options;
    this.#starts += 1;
    const mark = `${this.#options.mark}.${this.#starts}.`;
    const request = {
      file: shell.path,
      args,
      cwd,
      env: { ...env, [MARKER_VARIABLE]: mark },
      sandboxed: false,
      inheritedFds,
    };
    return { request, mark };
  }
}
