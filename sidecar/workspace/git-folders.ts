/**
 * The git folders behind the `.git` of a caller's own folder, for the sandbox to show read-only. Only before a task has
 * worked there: a `.git` that a task made could name any folder of this host.
 */
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSmall } from '../system/small-file.ts';
import { objectStores } from './copy-source.ts';
import type { LocalRepository } from './repository-source.ts';

/**
 * The repository's own folder and those that it borrows objects from. A `.git` file is believed as git does: only where
 * what it points to names the folder in turn.
 */
export async function gitFoldersOf(source: LocalRepository, folder: string): Promise<string[]> {
  const { gitDir, commonDir, workTree } = source;
  if (workTree !== folder) return [];
  const isOwn = gitDir === join(folder, '.git') && commonDir === gitDir;
  if (!isOwn && !(await pointsBack(gitDir, folder))) return [];
  const stores = await objectStores(source);
  const folders = [gitDir, commonDir, ...stores.filter((store) => !store.startsWith(commonDir))];
  return [...new Set(folders)];
}

async function pointsBack(gitDir: string, folder: string): Promise<boolean> {
  const back = (await readSmall(join(gitDir, 'gitdir')))?.trim();
  if (!back) return false;
  return (await realpath(dirname(resolve(gitDir, back))).catch(() => undefined)) === folder;
}
