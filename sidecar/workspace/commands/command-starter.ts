/**
 * Starts the commands of one workspace, each in its own sandbox if there is one. Mounted paths are checked before each command, since they
 * may have been removed. Without a sandbox, each command gets a mark, by which leftover processes are found.
 */
import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { hasLinkBelow } from '../../base/system/real-path.ts';
import { buildOfflineVariables } from './command-environment.ts';
import { wrapInGroup } from './command-group.ts';
import { CommandProcess, STATUS_FD } from './command-process.ts';
import {
  type CommandLine,
  type CommandShell,
  type ProcessLimits,
  buildShellArguments,
} from './command-shell.ts';
import { MARKER_VARIABLE } from './marked-processes.ts';
import { buildSandboxArguments, type SandboxFeatures, type SandboxMount } from './sandbox.ts';
import { replaceNameServers } from './system-settings.ts';
import { buildSyscallFilter } from './syscall-filter.ts';

const SHARED_MEMORY_BYTES = 256 * 1024 ** 2;

export interface StarterOptions {
  shell: CommandShell;
  limits: ProcessLimits;
  env: Record<string, string>;
  /** Variables for commands without network only. */
  offlineVariables: Readonly<Record<string, string>>;
  /** Identifies the environment: the mark of each of its commands begins with this text. */
  mark: string;
  /** File through which a process joins the control group of the workspace's commands; undefined without a group. */
  groupJoinFile: string | undefined;
  sandbox: CommandSandbox | undefined;
}

interface CommandSandbox {
  /** Path of the bubblewrap program. */
  bubblewrap: string;
  /** Program by which bubblewrap enters another mount namespace; empty for the worker's own namespace. */
  enterCommand: readonly string[];
  features: SandboxFeatures;
  mounts: readonly SandboxMount[];
  isRoot: boolean;
}

/** A command to start, with its environment variables. */
export interface StartRequest {
  command: CommandLine;
  cwd: string;
  network: boolean;
  /** Whether the command has an open stdin. Default: it has none. */
  stdin?: boolean;
  /** Variables of this command only. */
  variables?: Readonly<Record<string, string>>;
  /** Words to append to environment variables of the command, by variable. */
  appendedVariables?: Readonly<Record<string, string>>;
}

export type CommandStarter = (request: StartRequest) => CommandProcess;

export function createCommandStarter(options: StarterOptions): CommandStarter {
  const { shell, limits, groupJoinFile, sandbox } = options;
  const offline = sandbox && {
    env: { ...buildOfflineVariables(options.env), ...options.offlineVariables },
    sandbox: { ...sandbox, mounts: replaceNameServers(sandbox.mounts) },
  };
  let startCount = 0;
  return ({ command, cwd, network, stdin, variables, appendedVariables = {} }) => {
    startCount += 1;
    const baseEnv = network ? options.env : (offline?.env ?? options.env);
    const appended = Object.entries(appendedVariables).map(([name, words]) => [
      name,
      [baseEnv[name], words].filter(Boolean).join(' '),
    ]);
    const env = { ...baseEnv, ...Object.fromEntries(appended) };
    const mark = sandbox ? undefined : `${options.mark}.${startCount}.`;
    const shellCommand = [shell.path, ...buildShellArguments(shell, command, limits)];
    const program = offline
      ? wrapInSandbox(network ? sandbox : offline.sandbox, network, cwd, shellCommand)
      : shellCommand;
    const [file = '', ...args] = groupJoinFile === undefined ? program : wrapInGroup(groupJoinFile, program);
    return new CommandProcess({
      file,
      args,
      cwd: sandbox ? '/' : cwd,
      env: { ...env, ...variables, [MARKER_VARIABLE]: mark ?? options.mark },
      sandboxed: sandbox !== undefined,
      isolated: sandbox !== undefined && !network,
      syscallFilter: sandbox?.features.filtersSyscalls === true ? buildSyscallFilter() : undefined,
      mark,
      stdin,
    });
  };
}

function wrapInSandbox(
  { bubblewrap, enterCommand, features, isRoot, ...sandbox }: CommandSandbox,
  network: boolean,
  cwd: string,
  program: readonly string[],
): string[] {
  const writable = sandbox.mounts.filter(({ kind }) => kind === 'writable');
  // A path that existed at the start may be gone, for example a socket or the workspace of another task.
  const mounts = [...sandbox.mounts, ...(network ? buildResolverMounts() : [])].filter(
    ({ kind, path, source = path }) =>
      kind === 'link' || (existsSync(source) && !isRedirected(path, writable)),
  );
  const plan = { mounts, network, isRoot, features, maxMemoryFileBytes: SHARED_MEMORY_BYTES };
  const statusFlags = ['--json-status-fd', String(STATUS_FD)];
  // In the namespace of the layers, this user has the user id of root, so bubblewrap must restore the real ids.
  const userFlags = ['--uid', String(process.getuid?.()), '--gid', String(process.getgid?.())];
  const launcher = [
    ...enterCommand,
    bubblewrap,
    ...statusFlags,
    ...(enterCommand.length > 0 ? userFlags : []),
  ];
  return [...launcher, ...buildSandboxArguments(plan), '--chdir', cwd, '--', ...program];
}

/**
 * Returns whether a command replaced a folder above `path`, in the workspace or in /tmp, by a link. bubblewrap would follow the link on the
 * host, and create missing folders there.
 */
const isRedirected = (path: string, writable: readonly SandboxMount[]): boolean =>
  writable.some(
    ({ path: above, source = above }) =>
      path.startsWith(above + sep) && hasLinkBelow(source, source + path.slice(above.length)),
  );

/** Returns the mount of the resolver configuration, for commands with network; it often lies in the hidden /run. */
function buildResolverMounts(): SandboxMount[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return path.startsWith('/etc/') ? [] : [{ path, kind: 'read-only' }];
  } catch {
    return [];
  }
}
