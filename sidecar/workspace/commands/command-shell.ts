/**
 * Finds the shell for commands, and makes the limits that it sets on itself first. The shell is bash if there is one, since models write
 * bash; otherwise `/bin/sh`. The shell's own `ulimit` sets the limits, because another process for that would cost 2 ms a call.
 */
import { firstExecutable } from './executable.ts';

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
  const bash = firstExecutable(candidates);
  return bash === undefined ? { path: '/bin/sh', isBash: false } : { path: bash, isBash: true };
}

/** A text for the shell, or a program with its arguments, for which the shell only sets the limits. */
export type CommandLine = string | readonly string[];

/** Returns the arguments that run `command` under `limits`, which are set on its first line, so that line numbers in messages are right. */
export function shellArguments(shell: CommandShell, command: CommandLine, limits: ProcessLimits): string[] {
  const set = limitCommands(shell, limits);
  return typeof command === 'string'
    ? ['-c', `${set} ${command}`]
    : ['-c', `${set} exec "$@"`, shell.path, ...command];
}

function limitCommands(shell: CommandShell, limits: ProcessLimits): string {
  const { maxMemoryBytes, maxFileBytes, maxCpuSeconds, maxProcesses } = limits;
  const fileBlockBytes = shell.isBash ? 1024 : 512;
  const set = [
    'ulimit -c 0',
    // When the machine is out of memory, a command ends before the worker and the model server do.
    'echo 1000 > /proc/self/oom_score_adj',
    ...limit('-d', maxMemoryBytes, 1024),
    ...limit('-f', maxFileBytes, fileBlockBytes),
    ...limit('-t', maxCpuSeconds, 1),
    ...limit(shell.isBash ? '-u' : '-p', maxProcesses, 1),
  ];
  // A limit that is lower already cannot be raised; it stays, without a message.
  return `{ ${set.join('; ')}; } 2>/dev/null;`;
}

function limit(flag: string, value: number | undefined, unit: number): string[] {
  return value === undefined ? [] : [`ulimit ${flag} ${Math.max(1, Math.floor(value / unit))}`];
}
