/**
 * Starts each command of one workspace in a sandbox of its own. What is mounted is looked at for each, since it may
 * be gone by now.
 */
import { existsSync, realpathSync } from 'node:fs';
import { throughGroup } from './command-group.ts';
import { CommandProcess, STATUS_FD, type CommandStarter, type StarterOptions } from './command-process.ts';
import { shellArguments } from './command-shell.ts';
import { buildSandboxArguments, type SandboxMount } from './sandbox.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;

export interface SandboxStarterOptions extends StarterOptions {
  /** Path of the bubblewrap program. */
  bubblewrap: string;
  mounts: readonly SandboxMount[];
  isRoot: boolean;
}

export function sandboxStarter(options: SandboxStarterOptions): CommandStarter {
  const { bubblewrap, shell, limits, env, inheritedFds, isRoot, groupEntry } = options;
  return ({ command, cwd, network, stdin, variables }) => {
    const sandbox = buildSandboxArguments({
      // A path that was there at the start may be gone: a socket, the workspace of another task.
      mounts: [...options.mounts, ...(network ? resolverMounts() : [])].filter(
        ({ kind, path, source = path }) => kind === 'link' || existsSync(source),
      ),
      network,
      isRoot,
      memoryFileBytes: SHARED_MEMORY_BYTES,
    });
    const report = ['--json-status-fd', String(STATUS_FD)];
    const inside = ['--chdir', cwd, '--', shell.path, ...shellArguments(shell, command, limits)];
    const args = [...report, ...sandbox, ...inside];
    const [file, given] = groupEntry ? throughGroup(groupEntry, [bubblewrap, ...args]) : [bubblewrap, args];
    const process = new CommandProcess({
      file,
      args: given,
      cwd: '/',
      env: { ...env, ...variables },
      sandboxed: true,
      stdin,
      inheritedFds,
    });
    return { process };
  };
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
