/**
 * A local repository's objects, which its cache reads where they are: nothing is copied, and nothing of the source's
 * configuration is read, so no filter, hook or transport of it can run. The stores that the source itself borrows from
 * are named too, since git takes a relative one only from the first in line.
 */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ensureGitDir, formatOf, writeWhole } from './private-git-dir.ts';
import type { LocalRepository } from './repository-source.ts';
import { readSmall } from '../system/small-file.ts';

/** As deep as git follows them. */
const MAX_STORES = 6;
const MAX_SHALLOW_BYTES = 4 * 1024 * 1024;

/** Makes the cache of a local repository, with all commits that the source has. Throws as `ensureGitDir` does. */
export async function borrowObjects(cache: string, source: LocalRepository, commit: string): Promise<void> {
  const stores = await objectStores(source);
  await ensureGitDir(cache, { format: formatOf(commit), alternates: stores });
  await copyShallow(source, cache);
}

/** The object stores of a repository: its own and those it borrows from. */
export async function objectStores({ commonDir }: Pick<LocalRepository, 'commonDir'>): Promise<string[]> {
  const stores = [join(commonDir, 'objects')];
  for (const store of stores) {
    const text = (await readSmall(join(store, 'info', 'alternates'))) ?? '';
    const more = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => resolve(store, line));
    stores.push(...more.filter((path) => !stores.includes(path)).slice(0, MAX_STORES - stores.length));
  }
  return stores;
}

/** Where a shallow source's history ends; without it git would look for the parents. */
async function copyShallow(source: LocalRepository, cache: string): Promise<void> {
  const text = (await readSmall(join(source.commonDir, 'shallow'), MAX_SHALLOW_BYTES)) ?? '';
  const ids = text.split('\n').filter((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line));
  const wanted = ids.map((id) => `${id}\n`).join('');
  const path = join(cache, 'shallow');
  if (wanted !== ((await readSmall(path, MAX_SHALLOW_BYTES)) ?? '')) await writeWhole(path, wanted);
}

/** Whether the source was cloned without all of its content (`--filter`), so that files may be missing. */
export async function isPartial({ commonDir }: LocalRepository): Promise<boolean> {
  const names = await readdir(join(commonDir, 'objects', 'pack')).catch(() => []);
  return names.some((name) => name.endsWith('.promisor'));
}
