/**
 * The folders that a workspace's `.git` points to, for the sandbox to show read-only. A `.git` file that a command wrote
 * could point anywhere: only a worktree's folder that points back to the workspace is believed, as git does.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readSmall } from '../system/small-file.ts';

const MAX_ALTERNATES = 8;

/** `.git` itself, and a worktree's git folders with the object stores that they borrow from. */
export async function findGitFolders(workspace: string): Promise<string[]> {
  const dotGit = join(workspace, '.git');
  const stats = await lstat(dotGit).catch(() => undefined);
  // A link is left as it is: mounting it would show what it points to.
  if (!stats || stats.isSymbolicLink()) return [];
  if (stats.isDirectory()) return [dotGit, ...(await alternates(dotGit))];
  const pointer = await readSmall(dotGit);
  const gitDir = /^gitdir: (.+)$/m.exec(pointer ?? '')?.[1]?.trim();
  if (!gitDir) return [dotGit];
  const worktreeDir = await realpath(resolve(workspace, gitDir)).catch(() => undefined);
  if (!worktreeDir || !(await pointsBack(worktreeDir, dotGit))) return [dotGit];
  const common = (await readSmall(join(worktreeDir, 'commondir')))?.trim();
  const commonDir = common ? resolve(worktreeDir, common) : worktreeDir;
  return [dotGit, worktreeDir, commonDir, ...(await alternates(commonDir))];
}

async function pointsBack(worktreeDir: string, dotGit: string): Promise<boolean> {
  const back = (await readSmall(join(worktreeDir, 'gitdir')))?.trim();
  if (!back) return false;
  const [named, own] = await Promise.all(
    [resolve(worktreeDir, back), dotGit].map((path) => realpath(dirname(path)).catch(() => undefined)),
  );
  return named !== undefined && named === own;
}

async function alternates(gitDir: string): Promise<string[]> {
  const objects = join(gitDir, 'objects');
  const lines = (await readSmall(join(objects, 'info', 'alternates')))?.split('\n') ?? [];
  const stores = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, MAX_ALTERNATES)
    .map((line) => resolve(objects, line));
  // A repository that came with its git dir could name any folder of this host.
  return stores.filter((path) => basename(path) === 'objects');
}
