/** Checks before a worker is started whether the disk has room for tasks, and whether temporary folders can be made. */
import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/schema.ts';
import { makeTemporaryFolder } from '../system/temporary-folder.ts';
import { workerFolders } from '../worker/folders.ts';
import { diskShortageAt } from '../worker/capacity.ts';
import { preflightError } from './exit-codes.ts';

/** Throws `CommandError` (preflight) where the state folder's disk is below the floor. */
export function checkDisk({ worker }: Pick<Config, 'worker'>): void {
  let folder = workerFolders(worker).stateDir;
  // The folder may be made only later; its disk is there already.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const full = diskShortageAt(folder, worker.minFreeDiskBytes);
  if (full === undefined) return;
  throw preflightError(
    'worker_disk_full',
    `Too little disk space at ${folder}: ${full}. Free some, or lower worker.minFreeDiskBytes.`,
  );
}

/** Throws with the code `temporary_folder` where the sandbox and the checks would have no place for their files. */
export const checkTemporaryFolder = (): void => rmdirSync(makeTemporaryFolder('sidecar-start-'));
