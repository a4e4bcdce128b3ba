/**
 * Creates a control group (cgroup v2) for the commands of a task, if the system has delegated a part of its tree to this process (systemd:
 * `Delegate=`). The kernel then limits memory and processes of all commands of the task together, and ends them together. Functions here do
 * not throw. Without a group, the limits of each process and the worker's own watch remain.
 */
import { accessSync, constants, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { errorMessage } from '../../base/values/errors.ts';
import { readTextOrEmpty } from './host-paths.ts';

export interface GroupLimits {
  /** Maximum memory of all processes of the group together. */
  maxMemoryBytes: number;
  maxProcesses: number;
}

export interface CommandGroup {
  /** A process that writes `0` into this file joins the group, with its child processes. */
  joinFile: string;
  /** Returns how many processes of the group the kernel has killed for lack of memory. */
  countMemoryKills(): number;
  /** Ends the remaining processes of the group and removes it. */
  remove(): Promise<void>;
}

export type GroupSupport = { available: true; folder: string } | { available: false; reason: string };

/** Paths of the kernel's group tree (`treeFolder`) and of the file that names this process's group (`selfFile`). Tests replace them. */
export interface GroupPaths {
  treeFolder?: string;
  selfFile?: string;
}

const CONTROLLERS = ['memory', 'pids'];
/**
 * Name of the worker's own group. The worker moves into it, because the kernel limits the subgroups of a group only if the group itself has
 * no process.
 */
const WORKER_GROUP = 'ollama-sidecar-worker';
const GROUP_PREFIX = 'commands-';
const MAX_REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 10;

/** Returns whether control groups can be created here, or the reason why not. Changes nothing. */
export function detectGroups({
  treeFolder = '/sys/fs/cgroup',
  selfFile = '/proc/self/cgroup',
}: GroupPaths = {}): GroupSupport {
  const path = /^0::(\/.*)$/m.exec(readTextOrEmpty(selfFile))?.[1];
  if (path === undefined) return { available: false, reason: 'this system has no cgroup v2' };
  // The worker may already be in its own group.
  const folder = join(
    treeFolder,
    path.endsWith(`/${WORKER_GROUP}`) ? path.slice(0, -WORKER_GROUP.length - 1) : path,
  );
  const controllers = readTextOrEmpty(join(folder, 'cgroup.controllers')).trim().split(' ');
  const missing = CONTROLLERS.filter((name) => !controllers.includes(name));
  if (missing.length > 0)
    return { available: false, reason: `cgroup v2 has no ${missing.join(' and ')} controller here` };
  try {
    for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control'])
      accessSync(join(folder, name), constants.W_OK);
  } catch {
    return { available: false, reason: 'no part of the cgroup tree is delegated to this user' };
  }
  return { available: true, folder };
}

let preparedGroups: GroupSupport | undefined;

/** Finds a folder for control groups and moves this process into its own group, once. */
export function prepareGroupsOnce(): GroupSupport {
  preparedGroups ??= prepareGroups(detectGroups());
  return preparedGroups;
}

/** Prepares a folder for groups of commands. Moves this process and its launcher into a group of their own. */
export function prepareGroups(support: GroupSupport): GroupSupport {
  if (!support.available) return support;
  const { folder } = support;
  const workerGroup = join(folder, WORKER_GROUP);
  try {
    mkdirSync(workerGroup, { recursive: true });
    for (const pid of readTextOrEmpty(join(folder, 'cgroup.procs')).split('\n').filter(Boolean))
      writeFileSync(join(workerGroup, 'cgroup.procs'), pid);
    writeFileSync(join(folder, 'cgroup.subtree_control'), CONTROLLERS.map((name) => `+${name}`).join(' '));
  } catch (error) {
    return { available: false, reason: `groups could not be created in the cgroup: ${errorMessage(error)}` };
  }
  removeStaleGroups(folder);
  return support;
}

/** Removes the groups of a killed worker; groups with a process cannot be removed and stay. */
function removeStaleGroups(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => name.startsWith(GROUP_PREFIX))) {
    try {
      rmdirSync(join(folder, name));
    } catch {
      // The group is in use.
    }
  }
}

/** Creates a group in `folder`; returns undefined if the kernel refuses it. */
export function createGroup(folder: string, name: string, limits: GroupLimits): CommandGroup | undefined {
  const group = join(folder, GROUP_PREFIX + name);
  const pathOf = (name: string) => join(group, name);
  try {
    mkdirSync(group);
    writeFileSync(pathOf('memory.max'), String(limits.maxMemoryBytes));
    writeFileSync(pathOf('pids.max'), String(limits.maxProcesses));
  } catch {
    return undefined;
  }
  // The kernel ends the whole command, and does not slow the machine down by swapping first. Older kernels lack both settings.
  for (const [setting, value] of [
    ['memory.oom.group', '1'],
    ['memory.swap.max', '0'],
  ] as const) {
    try {
      writeFileSync(pathOf(setting), value);
    } catch {
      continue;
    }
  }
  return {
    joinFile: pathOf('cgroup.procs'),
    countMemoryKills: () =>
      Number(/^oom_kill (\d+)$/m.exec(readTextOrEmpty(pathOf('memory.events')))?.[1] ?? 0),
    remove: () => removeGroup(group),
  };
}

async function removeGroup(group: string): Promise<void> {
  await writeFile(join(group, 'cgroup.kill'), '1').catch(() => undefined);
  for (let tries = 0; tries < MAX_REMOVE_TRIES; tries += 1) {
    const isGone = await rmdir(group).then(
      () => false,
      () => true,
    );
    if (!isGone) return;
    // Ended processes stay in the group until they are reaped.
    await pause(REMOVE_PAUSE_MS);
  }
}

/** Wraps a program in a shell that joins the group first. The shell is not bash, which may take three times as long to start. */
export function wrapInGroup(joinFile: string, program: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', '{ echo 0 > "$0"; } 2>/dev/null; exec "$@"', joinFile, ...program];
}
