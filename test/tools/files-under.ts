/** The text files below a folder by relative path, to compare two folders whole. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export async function filesUnder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), await readFile(path, 'utf8')] as const;
    }),
  );
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
