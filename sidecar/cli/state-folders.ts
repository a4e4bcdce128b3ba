/** The folders in which workers of this user keep what they did. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Where each command that runs tasks beside the worker has a state folder of its own. */
export const runsFolder = (stateDir: string): string => join(stateDir, 'runs');

/** The worker's own and those of `run`. */
export async function stateFolders(stateDir: string): Promise<string[]> {
  const runs = runsFolder(stateDir);
  const names = existsSync(runs) ? await readdir(runs) : [];
  return [stateDir, ...names.map((name) => join(runs, name))];
}
