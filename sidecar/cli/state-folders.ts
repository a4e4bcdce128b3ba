/** The state folders of this user's workers. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the folder with the state folders of commands that run tasks beside the worker. */
export const runsFolder = (stateDir: string): string => join(stateDir, 'runs');

/** Returns the state folders of the worker and of `run`. */
export async function stateFolders(stateDir: string): Promise<string[]> {
  const runs = runsFolder(stateDir);
  const names = existsSync(runs) ? await readdir(runs) : [];
  return [stateDir, ...names.map((name) => join(runs, name))];
}
