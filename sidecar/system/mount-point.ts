/** The place of a folder or file that a sandbox shows at another path. */
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes an empty folder, or an empty file, with the folders above; one that is there stays as it is. No link is followed at `path`. */
export async function makeMountPoint(path: string, isFolder: boolean): Promise<void> {
  await mkdir(isFolder ? path : dirname(path), { recursive: true });
  if (isFolder) return;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  await (await open(path, flags)).close();
}
