/**
 * Finds and kills processes that left their process group. A process that called setsid is recognized by a marker in its environment. This
 * is best effort, since a program may clear its environment; only the sandbox guarantees it.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Every command of an environment has this variable; its value identifies the environment. */
export const MARKER_VARIABLE = 'OLLAMA_SIDECAR_MARK';

/**
 * Kills all processes whose environment has the marker with a value that starts with `prefix`, and returns their number. Searches again
 * until none is found, since a process may fork in between. Does nothing without /proc.
 */
export async function killMarkedProcesses(prefix: string): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < 5; round += 1) {
    const pids = await findMarkedProcesses(prefix);
    const newPids = pids.filter((pid) => !killed.has(pid));
    if (newPids.length === 0) break;
    for (const pid of newPids) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process ended by itself in between.
      }
    }
  }
  return killed.size;
}

async function findMarkedProcesses(prefix: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const marker = `${MARKER_VARIABLE}=${prefix}`;
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // A process of another user, a kernel thread, or an ended one: not a marked process.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (`\0${environment}`.includes(`\0${marker}`)) pids.push(pid);
  }
  return pids;
}
