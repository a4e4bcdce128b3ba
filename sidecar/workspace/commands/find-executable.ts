/** Looks for programs in folders and on the PATH. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Searches `PATH` as the system does. Never throws. */
export function isOnPath(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return findExecutable(folders.map((folder) => join(folder || '.', name))) !== undefined;
}

/** Returns the first of `paths` that exists and may be run. Never throws. */
export const findExecutable = (paths: readonly string[]): string | undefined =>
  paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      // Not executable: try the next path.
      return false;
    }
  });
