/**
 * Provides dependencies for a copy of a workspace. A copy contains only the files that git has, so it lacks dependencies. The sandbox shows
 * it those of the workspace, read-only. Without a sandbox, it gets links to them, since copying would take minutes.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ShownFolder } from '../files/paths.ts';
import { makeMountPoint } from '../../base/system/make-folder.ts';
import { hasLinkBelow, resolveBelow } from '../../base/system/real-path.ts';

export interface BorrowOptions {
  /** `from`: the workspace. `to`: the copy that uses its dependencies. */
  from: string;
  to: string;
  /** The folders that the sandbox shows in the workspace itself. */
  shared: readonly ShownFolder[];
  /** Folders of the workspace itself, relative to it. */
  own?: readonly string[];
  sandboxed: boolean;
}

/**
 * Makes mount points or links for the dependencies of the copy. Returns the folders that the sandbox shows it. Rejects only if the disk
 * fails.
 */
export async function borrowDependencies(options: BorrowOptions): Promise<ShownFolder[]> {
  const { from, to, shared, own = [], sandboxed } = options;
  const moved = shared.map(({ source, path }) => ({ source, path: join(to, relative(from, path)) }));
  const known = new Set(moved.map(({ path }) => path));
  const others: ShownFolder[] = [];
  for (const name of own) {
    const folder = { source: join(from, name), path: join(to, name) };
    const stats = await statsOf(folder.source);
    if (known.has(folder.path) || !(stats?.isDirectory() || stats?.isFile()) || (await statsOf(folder.path)))
      continue;
    // A task may have replaced a parent folder by a link.
    if ((await resolveBelow(from, folder.source)) !== undefined) others.push(folder);
  }
  const all = [...moved, ...others].filter(({ path }) => !hasLinkBelow(to, path));
  if (sandboxed)
    for (const { source, path } of all)
      await makeMountPoint(path, (await statsOf(source))?.isDirectory() ?? true);
  else {
    for (const { source, path } of all.filter((folder) => others.includes(folder))) {
      await mkdir(dirname(path), { recursive: true });
      await symlink(source, path);
    }
  }
  return all;
}

const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);
