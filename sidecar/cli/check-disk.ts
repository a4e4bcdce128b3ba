/** Checks before a worker starts that the disk has space for tasks and that temporary folders can be created. */
import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/schema.ts';
import { makeTemporaryFolder } from '../system/temporary-folder.ts';
import { workerFolders } from '../worker/folders.ts';
import { diskShortageAt } from '../worker/capacity.ts';
import { preflightError } from './exit-codes.ts';

/** Throws `CommandError` (preflight) if the state folder's disk has too little free space. */
export function checkDisk({ worker }: Pick<Config, 'worker'>): void {
  let folder = workerFolders(worker).stateDir;
  // The folder may not exist yet; its parent is on the same disk.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const full = diskShortageAt(folder, worker.minFreeDiskBytes);
  if (full === undefined) return;
  throw preflightError(
    'worker_disk_full',
    `Too little disk space at ${folder}: ${full}. Free some space, or lower worker.minFreeDiskBytes.`,
  );
}

/** Throws an error with the code `temporary_folder` if no folder for the sandbox and the checks can be created. */
export const checkTemporaryFolder = (): void => rmdirSync(makeTemporaryFolder('sidecar-start-'));
