/**
 * Provides dependencies for a copy of a workspace. A copy contains only the files that git has, so it lacks dependencies. The sandbox shows
 * it those of the workspace, read-only. Without a sandbox, it gets links to them, since copying would take minutes.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { MountedFolder } from '../files/workspace-paths.ts';
import { makeMountPoint } from '../../base/system/make-folder.ts';
import { hasLinkBelow, resolveBelow } from '../../base/system/real-path.ts';

export interface BorrowOptions {
  workspaceDir: string;
  /** The copy of the workspace, which uses the workspace's dependencies. */
  copyDir: string;
  /** Folders of this host that the sandbox shows in the workspace. */
  sharedFolders: readonly MountedFolder[];
  /** Folders with dependencies in the workspace itself, relative to it. */
  ownFolders?: readonly string[];
  sandboxed: boolean;
}

/**
 * Makes mount points or links for the dependencies of the copy. Returns the folders that the sandbox must show in the copy. Rejects only if
 * the disk fails.
 */
export async function borrowDependencies(options: BorrowOptions): Promise<MountedFolder[]> {
  const { workspaceDir, copyDir, sharedFolders, ownFolders = [], sandboxed } = options;
  const movedFolders = sharedFolders.map(({ source, path }) => ({
    source,
    path: join(copyDir, relative(workspaceDir, path)),
  }));
  const knownPaths = new Set(movedFolders.map(({ path }) => path));
  const others: MountedFolder[] = [];
  for (const name of ownFolders) {
    const folder = { source: join(workspaceDir, name), path: join(copyDir, name) };
    const stats = await statsOf(folder.source);
    if (
      knownPaths.has(folder.path) ||
      !(stats?.isDirectory() || stats?.isFile()) ||
      (await statsOf(folder.path))
    )
      continue;
    // A task may have replaced a parent folder by a link.
    if ((await resolveBelow(workspaceDir, folder.source)) !== undefined) others.push(folder);
  }
  const all = [...movedFolders, ...others].filter(({ path }) => !hasLinkBelow(copyDir, path));
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
