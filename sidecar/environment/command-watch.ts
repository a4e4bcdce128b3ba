/**
 * Watches what `ulimit` cannot limit while a command runs: free disk space, and as root the number of processes
 * (the kernel does not count root's). Nothing is looked at in a command's first moments, so that short ones
 * cost nothing.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { freeDiskBytes, mebibytes } from '../system/free-disk.ts';
import type { RunningCommand } from './spawn-port.ts';

const INTERVAL_MS = 100;

export interface WatchLimits {
  /** Folders whose file systems must keep `minFreeDiskBytes` free. */
  folders: readonly string[];
  minFreeDiskBytes: number;
  /** Only for commands in a sandbox, where they can be told from others. */
  maxProcesses?: number;
}

/** Starts watching; the returned function ends it. */
export function watchCommand(running: RunningCommand, limits: WatchLimits): () => void {
  const tasksBefore = limits.maxProcesses === undefined ? 0 : countTasks();
  let looking = false;
  const look = async () => {
    const sandboxPid = running.sandboxPid();
    const { maxProcesses, minFreeDiskBytes, folders } = limits;
    if (maxProcesses !== undefined && sandboxPid !== undefined && countTasks() - tasksBefore > maxProcesses) {
      const count = countProcessesWith(sandboxPid, maxProcesses);
      if (count > maxProcesses) return running.stop(`it started more than ${maxProcesses} processes`);
    }
    for (const folder of folders) {
      if ((await freeDiskBytes(folder)) >= minFreeDiskBytes) continue;
      return running.stop(`less than ${mebibytes(minFreeDiskBytes)} of disk space were left`);
    }
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A folder that has gone cannot fill up; the command will find out by itself.
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Processes and threads of the whole machine, from the cheapest source there is. */
function countTasks(): number {
  try {
    return Number(/\/(\d+) /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** How many processes share the pid namespace of `pid`; stops counting past `max`. */
function countProcessesWith(pid: number, max: number): number {
  const namespaceOf = (name: string) => {
    try {
      return readlinkSync(`/proc/${name}/ns/pid`);
    } catch {
      return undefined;
    }
  };
  const wanted = namespaceOf(String(pid));
  let count = 0;
  for (const name of wanted === undefined ? [] : readdirSync('/proc')) {
    if (/^\d/.test(name) && namespaceOf(name) === wanted) count += 1;
    if (count > max) break;
  }
  return count;
}
