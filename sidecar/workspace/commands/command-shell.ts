/**
 * Finds the shell for commands, and builds the limits that the shell sets first. The shell is bash if it is installed, since models write
 * bash; otherwise `/bin/sh`. Limits are set by the shell's own `ulimit`, since another process would cost 2 ms per call.
 */
import { findExecutable } from './find-executable.ts';

/** Limits of each process of a command; missing limits are not set. */
export interface ProcessLimits {
  maxMemoryBytes?: number;
  maxFileBytes?: number;
  maxCpuSeconds?: number;
  maxProcesses?: number;
}

export interface CommandShell {
  path: string;
  isBash: boolean;
}

/** Returns the shell of this machine. */
export function findShell(candidates: readonly string[] = ['/bin/bash', '/usr/bin/bash']): CommandShell {
  const bash = findExecutable(candidates);
  return bash === undefined ? { path: '/bin/sh', isBash: false } : { path: bash, isBash: true };
}

/** A text for the shell, or a program with its arguments. For a program, the shell only sets the limits. */
export type CommandLine = string | readonly string[];

/**
 * Returns the arguments that run `command` under `limits`. The limits are set on the first line of the command, so that line numbers in
 * error messages are right.
 */
export function buildShellArguments(
  shell: CommandShell,
  command: CommandLine,
  limits: ProcessLimits,
): string[] {
  const limitLine = buildLimitLine(shell, limits);
  return typeof command === 'string'
    ? ['-c', `${limitLine} ${command}`]
    : ['-c', `${limitLine} exec "$@"`, shell.path, ...command];
}

function buildLimitLine(shell: CommandShell, limits: ProcessLimits): string {
  const { maxMemoryBytes, maxFileBytes, maxCpuSeconds, maxProcesses } = limits;
  const fileBlockBytes = shell.isBash ? 1024 : 512;
  const ulimits = [
    'ulimit -c 0',
    // When the machine is out of memory, a command ends before the worker and the model server do.
    'echo 1000 > /proc/self/oom_score_adj',
    ...buildUlimit('-d', maxMemoryBytes, 1024),
    ...buildUlimit('-f', maxFileBytes, fileBlockBytes),
    ...buildUlimit('-t', maxCpuSeconds, 1),
    ...buildUlimit(shell.isBash ? '-u' : '-p', maxProcesses, 1),
  ];
  // A limit that is already lower cannot be raised. It remains, without a message.
  return `{ ${ulimits.join('; ')}; } 2>/dev/null;`;
}

function buildUlimit(flag: string, value: number | undefined, unit: number): string[] {
  return value === undefined ? [] : [`ulimit ${flag} ${Math.max(1, Math.floor(value / unit))}`];
}
