/** Removes what a task leaves behind, folders that it made unreadable included. Links are never followed. */
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    await openUp(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openUp(folder: string): Promise<void> {
  // A folder that is not ours stays as it is; the removal then tells which one.
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openUp(join(folder, entry.name));
  }
}
