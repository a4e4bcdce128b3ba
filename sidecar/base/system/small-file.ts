/**
 * Reads a file of a repository that may be hostile: only regular files of limited size, without following
 * links or blocking.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Returns the text of a regular file. Returns undefined for anything else, and for files larger than
 * `maxBytes`.
 */
export async function readSmallFile(path: string, maxBytes = 64 * 1024): Promise<string | undefined> {
  // Prevents following a link and blocking on a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } catch {
    // The file cannot be read. If that matters, git reports the reason.
    return undefined;
  } finally {
    await handle.close();
  }
}
