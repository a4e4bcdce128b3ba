/**
 * Starts commands in the sandbox of one workspace: in the one that waits, where that is like the command needs,
 * and in a new one otherwise. What is mounted is looked at for each, since it may be gone by now.
 */
import { existsSync, realpathSync } from 'node:fs';
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
import { buildSandboxArguments, type SandboxMount } from './sandbox.ts';
import { MAX_WARM_CHARS, WarmShell } from './warm-shell.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;

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

export class SandboxStarter implements CommandStarter {
  readonly #options: SandboxStarterOptions;
  readonly #warm: WarmShell;

  constructor(options: SandboxStarterOptions) {
    this.#options = options;
    this.#warm = new WarmShell(options.shell.path);
  }

  start(command: string, cwd: string, network: boolean): StartedCommand {
    const { root, shell, limits } = this.#options;
    const waiting = this.#program(root, network, waitingShellArguments(shell, limits));
    const ready = this.#warm.take(waiting);
    try {
      const script = cwd === root ? command : inFolder(cwd, command);
      if (ready && script.length <= MAX_WARM_CHARS) return { process: ready.wake(script) };
      ready?.discard();
      const request = this.#program(cwd, network, shellArguments(shell, command, limits));
      return { process: new CommandProcess(request) };
    } finally {
      // After the command itself: a start holds up this process for a millisecond, in which the command runs.
      if (shell.isBash && !network) this.#warm.prepare(waiting);
    }
  }

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
