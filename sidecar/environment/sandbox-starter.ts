/**
 * Starts commands in the sandbox of one workspace: in the one that waits, where that is like the command needs,
 * and in a new one otherwise. What is mounted is looked at for each, since it may be gone by now.
 */
import { existsSync, realpathSync } from 'node:fs';
import type { CommandStarter, ProgramRequest, StartedCommand, StarterOptions } from './command-process.ts';
import { inFolder, shellArguments, waitingShellArguments } from './command-shell.ts';
import { buildSandboxArguments, type SandboxMount } from './sandbox.ts';
import { WarmShell } from './warm-shell.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;

export interface SandboxStarterOptions extends StarterOptions {
  /** Path of the bubblewrap program. */
  bubblewrap: string;
  mounts: readonly SandboxMount[];
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
    const script = cwd === root ? command : inFolder(cwd, command);
    const cold = () => this.#program(cwd, network, shellArguments(shell, command, limits));
    return { process: this.#warm.start({ waiting, script, cold, another: shell.isBash && !network }) };
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
