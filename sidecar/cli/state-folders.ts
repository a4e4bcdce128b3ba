/** The state folders of this user's workers. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the folder with the state folders of commands that run tasks beside the worker. */
export const runsFolderOf = (stateDir: string): string => join(stateDir, 'runs');

/** Returns the state folders of the worker and of `run`. */
export async function listStateFolders(stateDir: string): Promise<string[]> {
  const runsDir = runsFolderOf(stateDir);
  const names = existsSync(runsDir) ? await readdir(runsDir) : [];
  return [stateDir, ...names.map((name) => join(runsDir, name))];
}
