/**
 * The search for processes that left their group. One that called setsid is recognised by a marker that it inherited in
 * its environment: best effort, since a program may clean its environment; only the sandbox is a guarantee.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Every command of an environment carries this variable; its value names the environment. */
export const MARKER_VARIABLE = 'OLLAMA_SIDECAR_MARK';

/**
 * Kills all processes whose environment has the marker with a value that starts with `prefix`, and returns how
 * many. Looks again until none is found, since one may fork meanwhile. Does nothing without /proc.
 */
export async function killMarkedProcesses(prefix: string): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < 5; round += 1) {
    const pids = await markedProcesses(prefix);
    const fresh = pids.filter((pid) => !killed.has(pid));
    if (fresh.length === 0) break;
    for (const pid of fresh) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
  }
  return killed.size;
}

async function markedProcesses(prefix: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const wanted = `${MARKER_VARIABLE}=${prefix}`;
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // Another user's, a kernel thread or gone: not one of ours.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (`\0${environment}`.includes(`\0${wanted}`)) found.push(pid);
  }
  return found;
}
