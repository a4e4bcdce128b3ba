/**
 * Starts the commands of one workspace, each in its own sandbox if there is one. Mounted paths are checked before each command, since they
 * may have been removed. Without a sandbox, each command gets a mark, by which leftover processes are found.
 */
import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { hasLinkBelow } from '../../base/system/real-path.ts';
import { removeNetwork } from './command-environment.ts';
import { wrapInGroup } from './command-group.ts';
import { CommandProcess, STATUS_FD } from './command-process.ts';
import { type CommandLine, type CommandShell, type ProcessLimits, shellArguments } from './command-shell.ts';
import { MARKER_VARIABLE } from './marked-processes.ts';
import { buildSandboxArguments, type SandboxLocks, type SandboxMount } from './sandbox.ts';
import { replaceNameServers } from './system-settings.ts';
import { syscallFilter } from './syscall-filter.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;

export interface StarterOptions {
  shell: CommandShell;
  limits: ProcessLimits;
  env: Record<string, string>;
  /** Variables for commands without network only. */
  offlineVariables: Readonly<Record<string, string>>;
  /** Identifies the environment; the mark of each command begins with it. */
  mark: string;
  /** File by which a process joins the control group of the workspace's commands, if there is one. */
  groupEntry: string | undefined;
  sandbox: CommandSandbox | undefined;
}

interface CommandSandbox {
  /** Path of the bubblewrap program. */
  bubblewrap: string;
  /** Program by which bubblewrap enters another mount namespace; empty for the worker's own namespace. */
  entry: readonly string[];
  locks: SandboxLocks;
  mounts: readonly SandboxMount[];
  isRoot: boolean;
}

/** One command of a workspace. */
export interface StartRequest {
  command: CommandLine;
  cwd: string;
  network: boolean;
  /** Whether the command is interactive. */
  stdin?: boolean;
  /** Variables of this command only. */
  variables?: Readonly<Record<string, string>>;
  /** Words that are appended to the values of variables. */
  extend?: Readonly<Record<string, string>>;
}

export type CommandStarter = (request: StartRequest) => CommandProcess;

export function commandStarter(options: StarterOptions): CommandStarter {
  const { shell, limits, groupEntry, sandbox } = options;
  const offline = sandbox && {
    env: { ...removeNetwork(options.env), ...options.offlineVariables },
    sandbox: { ...sandbox, mounts: replaceNameServers(sandbox.mounts) },
  };
  let starts = 0;
  return ({ command, cwd, network, stdin, variables, extend = {} }) => {
    starts += 1;
    const own = network ? options.env : (offline?.env ?? options.env);
    const added = Object.entries(extend).map(([name, words]) => [
      name,
      [own[name], words].filter(Boolean).join(' '),
    ]);
    const env = { ...own, ...Object.fromEntries(added) };
    const mark = sandbox ? undefined : `${options.mark}.${starts}.`;
    const inShell = [shell.path, ...shellArguments(shell, command, limits)];
    const program = offline ? sandboxed(network ? sandbox : offline.sandbox, network, cwd, inShell) : inShell;
    const [file = '', ...args] = groupEntry === undefined ? program : wrapInGroup(groupEntry, program);
    return new CommandProcess({
      file,
      args,
      cwd: sandbox ? '/' : cwd,
      env: { ...env, ...variables, [MARKER_VARIABLE]: mark ?? options.mark },
      sandboxed: sandbox !== undefined,
      isolated: sandbox !== undefined && !network,
      filter: sandbox?.locks.syscalls === true ? syscallFilter() : undefined,
      mark,
      stdin,
    });
  };
}

function sandboxed(
  { bubblewrap, entry, locks, isRoot, ...sandbox }: CommandSandbox,
  network: boolean,
  cwd: string,
  program: readonly string[],
): string[] {
  const writable = sandbox.mounts.filter(({ kind }) => kind === 'writable');
  // A path that existed at the start may be gone, for example a socket or the workspace of another task.
  const mounts = [...sandbox.mounts, ...(network ? resolverMounts() : [])].filter(
    ({ kind, path, source = path }) =>
      kind === 'link' || (existsSync(source) && !isLedElsewhere(path, writable)),
  );
  const plan = { mounts, network, isRoot, locks, memoryFileBytes: SHARED_MEMORY_BYTES };
  const report = ['--json-status-fd', String(STATUS_FD)];
  // In the namespace this user has the user id of root.
  const user = ['--uid', String(process.getuid?.()), '--gid', String(process.getgid?.())];
  const start = [...entry, bubblewrap, ...report, ...(entry.length > 0 ? user : [])];
  return [...start, ...buildSandboxArguments(plan), '--chdir', cwd, '--', ...program];
}

/**
 * Returns whether a command replaced a folder above `path`, in the workspace or in /tmp, by a link. bubblewrap would follow the link on the
 * host, and create missing folders there.
 */
const isLedElsewhere = (path: string, writable: readonly SandboxMount[]): boolean =>
  writable.some(
    ({ path: above, source = above }) =>
      path.startsWith(above + sep) && hasLinkBelow(source, source + path.slice(above.length)),
  );

/** Returns the mount of the resolver configuration, for commands with network; it often lies in the hidden /run. */
function resolverMounts(): SandboxMount[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return path.startsWith('/etc/') ? [] : [{ path, kind: 'read-only' }];
  } catch {
    return [];
  }
}
