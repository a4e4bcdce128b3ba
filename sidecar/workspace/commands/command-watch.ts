/**
 * Watches a running command for limits that cannot be set for single processes: free disk space, and the number and memory of all its
 * processes. The first check is delayed, so that short commands cost nothing.
 */
import { readlinkSync } from 'node:fs';
import { measureFreeDisk, formatMebibytes } from '../../base/system/free-disk.ts';
import { exceedsSize } from '../files/folder-size.ts';
import type { CommandProcess } from './command-process.ts';
import { readTextOrEmpty, listNames } from './host-paths.ts';

const INTERVAL_MS = 100;
/** Number of checks between two measurements of memory. */
const CHECKS_PER_MEMORY_SUM = 3;
/**
 * Number of checks between two measurements of folder sizes. They begin when the free disk space indicates that the folders may be too
 * large.
 */
const CHECKS_PER_FOLDER_SUM = 10;

export interface WatchLimits {
  /** Folders that the task writes to. */
  folders: readonly string[];
  /** Minimum number of free bytes on the file systems of `folders`. */
  minFreeDiskBytes: number;
  /** Maximum size of `folders` together. */
  maxDiskBytes: number;
  /** Free bytes of each folder's file system at the start of the task. The folders are measured only if much less is free now. */
  initialFreeBytes: readonly number[];
  maxProcesses: number;
  /** Maximum memory of all processes of the command together. */
  maxMemoryBytes: number;
}

/** Starts watching. Calls `stop` with a description of the exceeded limit. The returned function stops watching. */
export function watchCommand(
  running: CommandProcess,
  limits: WatchLimits,
  stop: (reason: string) => void,
): () => void {
  const tasksBefore = countTasks();
  let checkCount = 0;
  const check = async () => {
    checkCount += 1;
    const excess =
      findProcessExcess(running, limits, tasksBefore) ?? findMemoryExcess(running, limits, checkCount);
    if (excess !== undefined) return stop(excess);
    const diskExcess = await findDiskExcess(limits, checkCount);
    if (diskExcess !== undefined) stop(diskExcess);
  };
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    // A check fails if a folder was removed. Such a folder cannot fill up, and the command detects the error itself.
    check()
      .catch(() => undefined)
      .finally(() => {
        isChecking = false;
      });
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

function findProcessExcess(
  running: CommandProcess,
  { maxProcesses }: WatchLimits,
  tasksBefore: number,
): string | undefined {
  if (countTasks() - tasksBefore <= maxProcesses) return undefined;
  const isOver = listProcesses(running, maxProcesses).length > maxProcesses;
  return isOver ? `it started more than ${maxProcesses} processes` : undefined;
}

async function findDiskExcess(limits: WatchLimits, checkCount: number): Promise<string | undefined> {
  const { minFreeDiskBytes, maxDiskBytes, initialFreeBytes, folders } = limits;
  const freeBytes = await Promise.all(folders.map((folder) => measureFreeDisk(folder)));
  if (freeBytes.some((bytes) => bytes < minFreeDiskBytes))
    return `less than ${formatMebibytes(minFreeDiskBytes)} of disk space was free`;
  const mayBeOver = freeBytes.some((bytes, index) => (initialFreeBytes[index] ?? 0) - bytes > maxDiskBytes);
  if (!mayBeOver || checkCount % CHECKS_PER_FOLDER_SUM !== 0 || !(await exceedsSize(folders, maxDiskBytes)))
    return undefined;
  return `the task's folder and /tmp exceed ${formatMebibytes(maxDiskBytes)}; remove files that are not needed`;
}

function findMemoryExcess(
  running: CommandProcess,
  { maxMemoryBytes, maxProcesses }: WatchLimits,
  checkCount: number,
): string | undefined {
  if (checkCount % CHECKS_PER_MEMORY_SUM !== 0) return undefined;
  let bytes = 0;
  for (const pid of listProcesses(running, maxProcesses)) bytes += readMemoryBytes(pid);
  return bytes > maxMemoryBytes ? describeMemoryExcess(maxMemoryBytes) : undefined;
}

/** Describes why a command was stopped for its memory use. */
export const describeMemoryExcess = (maxBytes: number): string =>
  `its processes used more than ${formatMebibytes(maxBytes)} of memory together`;

/** Counts the processes and threads of the machine. /proc/loadavg is the cheapest source. */
const countTasks = (): number => Number(/\/(\d+) /.exec(readTextOrEmpty('/proc/loadavg'))?.[1] ?? 0);

/** Returns the memory of a process, without mapped files, since the kernel can drop their pages. */
function readMemoryBytes(pid: string): number {
  const status = readTextOrEmpty(`/proc/${pid}/status`);
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * 1024;
}

/** Lists the processes of a command: those of its sandbox, or else of its session. Stops when there are more than `maxListed`. */
function listProcesses(running: CommandProcess, maxListed: number): string[] {
  const isMember = createMembershipTest(running);
  const pids: string[] = [];
  if (isMember === undefined) return pids;
  for (const name of listNames('/proc')) {
    if (/^\d/.test(name) && isMember(name)) pids.push(name);
    if (pids.length > maxListed) break;
  }
  return pids;
}

function createMembershipTest(running: CommandProcess): ((pid: string) => boolean) | undefined {
  const { sandboxed, pid } = running;
  if (!sandboxed) return pid === undefined ? undefined : (name) => sessionOf(name) === pid;
  const firstPid = running.sandboxPid;
  const namespace = firstPid === undefined ? undefined : namespaceOf(String(firstPid));
  return namespace === undefined ? undefined : (name) => namespaceOf(name) === namespace;
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** Returns the session of a process. A command leads a session; its processes belong to it unless they create their own. */
function sessionOf(pid: string): number {
  const stat = readTextOrEmpty(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces and parentheses.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
