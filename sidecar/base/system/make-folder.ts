/**
 * Makes folders that the user names: state, data, caches, databases. Node's own recursive mkdir loops forever below a folder in which no
 * entry can be made (`/proc`), and then only SIGKILL ends the process.
 */
import { constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../values/errors.ts';

/**
 * Makes `path` with its parents, accessible only by this user. An existing folder is not changed. Throws the
 * system's error.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeSingleFolder(folder);
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path);
}

/** Makes one folder. Does not fail if another process makes the folder at the same time. */
function makeSingleFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !isDirectory(folder)) throw error;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Makes an empty folder or file, with its parents, as the mount point of a sandbox. An existing one is not
 * changed. Does not follow a link at `path`.
 */
export async function makeMountPoint(path: string, isFolder: boolean): Promise<void> {
  await mkdir(isFolder ? path : dirname(path), { recursive: true });
  if (isFolder) return;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  await (await open(path, flags)).close();
}
