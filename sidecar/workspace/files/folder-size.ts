/** Measures the size of folders on disk, up to a limit. Links are not followed; folders that cannot be read are skipped. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { findFiles } from './find-files.ts';

/**
 * Default maximum number of entries. Folders with more entries count as too large, since reading them would take longer than writing them.
 */
const MAX_ENTRIES = 1_000_000;
const BLOCK_BYTES = 512;

/** Returns whether `folders` take up more than `maxBytes`, or hold more than `maxEntries` files and folders. */
export async function exceedsSize(
  folders: readonly string[],
  maxBytes: number,
  maxEntries = MAX_ENTRIES,
): Promise<boolean> {
  const limitReached = new AbortController();
  let bytes = 0;
  let remainingEntries = maxEntries;
  for (const folder of folders) {
    await findFiles(folder, {
      // One entry more than allowed shows that the limit is exceeded.
      maxEntries: remainingEntries + 1,
      maxDepth: Number.POSITIVE_INFINITY,
      timeoutMs: Number.POSITIVE_INFINITY,
      skippedFolders: [],
      signal: limitReached.signal,
      select: async (entries) => {
        const paths = entries.map(({ path }) => join(folder, path));
        const statsList = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
        for (const stats of statsList) bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
        remainingEntries -= entries.length;
        if (bytes > maxBytes || remainingEntries < 0) limitReached.abort();
        return entries.filter(({ dirent }) => dirent.isDirectory());
      },
    });
  }
  return limitReached.signal.aborted;
}
