/**
 * Folders that a person names: state, data, caches, databases. Node's own recursive mkdir never comes back below a
 * folder that takes no entries (`/proc`): it asks for the same one again and again, deaf to every signal but SIGKILL.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../values/errors.ts';

/** Makes `path` with its parents, for this user only; one that is there stays as it is. Throws the system's error. */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeOne(folder);
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path);
}

/** Another process may make the same folder at the same time. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !isDirectory(folder)) throw error;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
