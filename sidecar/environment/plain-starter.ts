/**
 * Starts commands of one workspace without a sandbox: in the shell that waits, or in a new one. Each process carries
 * a mark of its own in its environment, by which what it leaves behind is found.
 */
import type { CommandStarter, ProgramRequest, StartedCommand, StarterOptions } from './command-process.ts';
import { inFolder, shellArguments, waitingShellArguments } from './command-shell.ts';
import { MARKER_VARIABLE } from './process-groups.ts';
import { WarmShell } from './warm-shell.ts';

export interface PlainStarterOptions extends StarterOptions {
  /** Begins the mark of each process. */
  mark: string;
}

export class PlainStarter implements CommandStarter {
  readonly #options: PlainStarterOptions;
  readonly #warm: WarmShell;
  #starts = 0;

  constructor(options: PlainStarterOptions) {
    this.#options = options;
    this.#warm = new WarmShell(options.shell.path);
  }

  start(command: string, cwd: string): StartedCommand {
    const { root, shell, limits } = this.#options;
    this.#starts += 1;
    const mark = `${this.#options.mark}.${this.#starts}.`;
    const waiting = this.#program(root, waitingShellArguments(shell, limits), this.#options.mark);
    // What leaves the command's group has run another program, which has the mark in its environment.
    const script = `export ${MARKER_VARIABLE}=${mark}; ${cwd === root ? command : inFolder(cwd, command)}`;
    const cold = () => this.#program(cwd, shellArguments(shell, command, limits), mark);
    const process = this.#warm.start({ waiting, script, cold, another: shell.isBash });
    return { process, mark };
  }

  async close(): Promise<void> {
    await this.#warm.close();
  }

  #program(cwd: string, args: string[], mark: string): ProgramRequest {
    const { shell, env, inheritedFds } = this.#options;
    return {
      file: shell.path,
      args,
      cwd,
      env: { ...env, [MARKER_VARIABLE]: mark },
      sandboxed: false,
      inheritedFds,
    };
  }
}
