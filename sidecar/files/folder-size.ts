/** What folders take up on disk, counted as far as it matters. Links are not followed; what cannot be read is left out. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** More files than this count as too much, whatever they hold: looking at them all would take longer than writing them. */
const MAX_ENTRIES = 1_000_000;
const BATCH = 64;
const BLOCK_BYTES = 512;

/** Whether all below `folders` takes up more than `maxBytes`. */
export async function takesMoreThan(folders: readonly string[], maxBytes: number): Promise<boolean> {
  const open = [...folders];
  let bytes = 0;
  let entries = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const inside = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (let at = 0; at < inside.length; at += BATCH) {
      const paths = inside.slice(at, at + BATCH).map((entry) => join(entry.parentPath, entry.name));
      const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
      for (const stats of found) bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
      open.push(...paths.filter((_path, index) => found[index]?.isDirectory()));
    }
    entries += inside.length;
    if (bytes > maxBytes || entries > MAX_ENTRIES) return true;
  }
  return false;
}
