/** Reads a file of a repository that may be hostile: bounded, no link, nothing but a regular file, never waited for. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Returns the text of a regular file; undefined for everything else, and for files larger than `maxBytes`. */
export async function readSmall(path: string, maxBytes = 64 * 1024): Promise<string | undefined> {
  // Neither followed nor waited for, should it be a link or a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } catch {
    // It cannot be read: git reports the reason when it matters.
    return undefined;
  } finally {
    await handle.close();
  }
}
