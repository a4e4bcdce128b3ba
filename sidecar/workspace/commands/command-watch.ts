/**
 * Watches a running command for limits that cannot be set for single processes: free disk space, and the number and memory of all its
 * processes. The first check is delayed, so that short commands cost nothing.
 */
import { readlinkSync } from 'node:fs';
import { measureFreeDisk, formatMebibytes } from '../../base/system/free-disk.ts';
import { exceedsSize } from '../files/folder-size.ts';
import type { CommandProcess } from './command-process.ts';
import { contentOf, entriesOf } from './host-paths.ts';

const INTERVAL_MS = 100;
/** Number of checks between two sums of memory. */
const MEMORY_EVERY = 3;
/** Number of checks between two measurements of the folders, once the free disk space indicates that they may be too large. */
const FOLDERS_EVERY = 10;

export interface WatchLimits {
  /** Folders that the task writes to; their file systems must have `minFreeDiskBytes` free. */
  folders: readonly string[];
  minFreeDiskBytes: number;
  /** Maximum size of the folders together. */
  maxDiskBytes: number;
  /** Free bytes of the file systems at the start of the task. The folders are measured only if much less is free now. */
  freeBeforeBytes: readonly number[];
  maxProcesses: number;
  /** Sum over all processes of the command. */
  maxMemoryBytes: number;
}

/** Starts watching; `stop` gets the exceeded limit as text. The returned function stops watching. */
export function watchCommand(
  running: CommandProcess,
  limits: WatchLimits,
  stop: (reason: string) => void,
): () => void {
  const tasksBefore = countTasks();
  let looks = 0;
  const look = async () => {
    looks += 1;
    const tooMuch = processesOver(running, limits, tasksBefore) ?? memoryOver(running, limits, looks);
    if (tooMuch !== undefined) return stop(tooMuch);
    const tooLarge = await diskOver(limits, looks);
    if (tooLarge !== undefined) stop(tooLarge);
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A removed folder cannot fill up; the command finds the error itself.
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

function processesOver(
  running: CommandProcess,
  { maxProcesses }: WatchLimits,
  tasksBefore: number,
): string | undefined {
  if (countTasks() - tasksBefore <= maxProcesses) return undefined;
  const isOver = processesOf(running, maxProcesses).length > maxProcesses;
  return isOver ? `it started more than ${maxProcesses} processes` : undefined;
}

async function diskOver(limits: WatchLimits, looks: number): Promise<string | undefined> {
  const { minFreeDiskBytes, maxDiskBytes, freeBeforeBytes, folders } = limits;
  const freeBytes = await Promise.all(folders.map((folder) => measureFreeDisk(folder)));
  if (freeBytes.some((bytes) => bytes < minFreeDiskBytes))
    return `less than ${formatMebibytes(minFreeDiskBytes)} of disk space were left`;
  const mayBeOver = freeBytes.some((bytes, index) => (freeBeforeBytes[index] ?? 0) - bytes > maxDiskBytes);
  if (!mayBeOver || looks % FOLDERS_EVERY !== 0 || !(await exceedsSize(folders, maxDiskBytes)))
    return undefined;
  return `the task's folder and /tmp exceed ${formatMebibytes(maxDiskBytes)}; remove files that are not needed`;
}

function memoryOver(
  running: CommandProcess,
  { maxMemoryBytes, maxProcesses }: WatchLimits,
  looks: number,
): string | undefined {
  if (looks % MEMORY_EVERY !== 0) return undefined;
  let bytes = 0;
  for (const pid of processesOf(running, maxProcesses)) bytes += ownMemoryBytes(pid);
  return bytes > maxMemoryBytes ? memoryExceeded(maxMemoryBytes) : undefined;
}

/** Returns the reason for stopping a command because of its memory. */
export const memoryExceeded = (maxBytes: number): string =>
  `its processes used more than ${formatMebibytes(maxBytes)} of memory together`;

/** Counts the processes and threads of the machine. /proc/loadavg is the cheapest source. */
const countTasks = (): number => Number(/\/(\d+) /.exec(contentOf('/proc/loadavg'))?.[1] ?? 0);

/** Returns the memory of a process, without the files that it maps, since the kernel can drop those. */
function ownMemoryBytes(pid: string): number {
  const status = contentOf(`/proc/${pid}/status`);
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * 1024;
}

/** Lists the processes of a command: those of its sandbox, or else of its session. Stops after `max`. */
function processesOf(running: CommandProcess, max: number): string[] {
  const isOne = membership(running);
  const found: string[] = [];
  if (isOne === undefined) return found;
  for (const name of entriesOf('/proc')) {
    if (/^\d/.test(name) && isOne(name)) found.push(name);
    if (found.length > max) break;
  }
  return found;
}

function membership(running: CommandProcess): ((pid: string) => boolean) | undefined {
  const { sandboxed, pid } = running;
  if (!sandboxed) return pid === undefined ? undefined : (name) => sessionOf(name) === pid;
  const first = running.sandboxPid;
  const wanted = first === undefined ? undefined : namespaceOf(String(first));
  return wanted === undefined ? undefined : (name) => namespaceOf(name) === wanted;
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
  const stat = contentOf(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces and parentheses.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
