/** The files below a folder by path, with what is in them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function contentsOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.sort().map(async (path) => [path, await readFile(path, 'latin1')] as const);
  return new Map(await Promise.all(texts));
}
