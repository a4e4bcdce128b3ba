/**
 * Starts commands in the sandbox of one workspace: in the one that waits, where that is like the command needs,
 * and in a new one otherwise. What is mounted is looked at for each, since it may be gone by now.
 */
import { existsSync, realpathSync } from 'node:fs';
import { CommandProcess, type ProgramRequest } from './command-process.ts';
import {
  type CommandShell,
  inFolder,
  type ProcessLimits,
  shellArguments,
  waitingShellArguments,
} from './command-shell.ts';
import { buildSandboxArguments, type SandboxMount } from './sandbox.ts';
import { WarmSandbox } from './warm-sandbox.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;
/** A waiting shell reads its script byte by byte: longer ones are faster from the start. */
const MAX_WARM_CHARS = 4096;

export interface SandboxStarterOptions {
  /** Path of the bubblewrap program. */
  bubblewrap: string;
  shell: CommandShell;
  limits: ProcessLimits;
  mounts: readonly SandboxMount[];
  /** Real path of the workspace. */
  root: string;
  env: Record<string, string>;
  inheritedFds: readonly number[];
  isRoot: boolean;
}

export class SandboxStarter {
  readonly #options: SandboxStarterOptions;
  readonly #warm = new WarmSandbox();

  constructor(options: SandboxStarterOptions) {
    this.#options = options;
  }

  /** Throws `COMMAND_NOT_STARTED` where the system refuses at once. */
  start(command: string, cwd: string, network: boolean): CommandProcess {
    const { root, shell, limits } = this.#options;
    const waiting = this.#program(root, network, waitingShellArguments(shell, limits));
    const ready = this.#warm.take(waiting);
    try {
      const script = cwd === root ? command : inFolder(cwd, command);
      if (ready && script.length <= MAX_WARM_CHARS) return ready.wake(script);
      ready?.discard();
      return new CommandProcess(this.#program(cwd, network, shellArguments(shell, command, limits)));
    } finally {
      // After the command itself: a start holds up this process for a millisecond, in which the command runs.
      if (shell.isBash && !network) this.#warm.prepare(waiting);
    }
  }

  /** Ends the sandbox that waits. */
  async close(): Promise<void> {
    await this.#warm.close();
  }

  #program(folder: string, network: boolean, shellArgs: string[]): ProgramRequest {
    const { bubblewrap, shell, mounts, env, inheritedFds, isRoot } = this.#options;
    const sandbox = buildSandboxArguments({
      // What was there at the start may be gone: a socket, the workspace of another task.
      mounts: [...mounts, ...(network ? resolverMounts() : [])].filter(({ path, source = path }) =>
        existsSync(source),
      ),
      network,
      isRoot,
      memoryFileBytes: SHARED_MEMORY_BYTES,
    });
    return {
      file: bubblewrap,
      args: [...sandbox, '--chdir', folder, '--', shell.path, ...shellArgs],
      cwd: '/',
      env,
      sandboxed: true,
      inheritedFds,
    };
  }
}

/** With the network, names are looked up through a file that often lies in the hidden /run. */
function resolverMounts(): SandboxMount[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return path.startsWith('/etc/') ? [] : [{ path, kind: 'read-only' }];
  } catch {
    return [];
  }
}
