/**
 * Removes the folders of a task, including folders that are unreadable or too deep for a path. Links are
 * never followed.
 */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../values/errors.ts';

/** Removes a folder with its content. Rejects with the first failure, after everything else is removed. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    await removeByLevel(path);
  }
}

/**
 * Removes a folder level by level. Moves each folder to the top level before it is emptied, so that no path
 * exceeds the limit.
 */
async function removeByLevel(top: string): Promise<void> {
  const stats = await lstat(top).catch(() => undefined);
  if (!stats?.isDirectory()) return rm(top, { force: true });
  const prefix = randomUUID();
  const failures: unknown[] = [];
  const attempt = (step: Promise<void>): Promise<void> =>
    step.catch((error: unknown) => {
      // ENOENT is ignored: the `rm` that failed before may still be removing other folders.
      if (errorCode(error) !== 'ENOENT') failures.push(error);
    });
  let movedCount = 0;
  /** Empties a folder. Returns the current paths of its subfolders. */
  const emptyFolder = async (folder: string): Promise<string[]> => {
    // The mode of another user's folder cannot be changed; the removal then reports the error.
    await chmod(folder, 0o700).catch(() => undefined);
    const subfolders: string[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const entryPath = join(folder, entry.name);
      if (!entry.isDirectory()) await attempt(rm(entryPath, { force: true }));
      else if (folder === top) subfolders.push(entryPath);
      else {
        const movedPath = join(top, `${prefix}${(movedCount += 1)}`);
        await chmod(entryPath, 0o700).catch(() => undefined);
        await attempt(rename(entryPath, movedPath).then(() => void subfolders.push(movedPath)));
      }
    }
    return subfolders;
  };
  const queue = [top];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    await attempt(
      emptyFolder(folder).then((subfolders) => {
        for (const subfolder of subfolders) queue.push(subfolder);
      }),
    );
    if (folder !== top) await attempt(rmdir(folder));
  }
  await attempt(rmdir(top));
  if (failures.length > 0) throw failures[0];
}
