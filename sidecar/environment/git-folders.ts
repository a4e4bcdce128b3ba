/**
 * What a workspace's `.git` points to, for the sandbox to show read-only. A `.git` file that a command wrote
 * could point anywhere: only a worktree's folder that points back to the workspace is believed, as git does.
 */
import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

const MAX_POINTER_BYTES = 4096;
const MAX_ALTERNATES = 8;

/** `.git` itself, and a worktree's git folders with the object stores that they borrow from. */
export async function findGitFolders(workspace: string): Promise<string[]> {
  const dotGit = join(workspace, '.git');
  const stats = await lstat(dotGit).catch(() => undefined);
  // A link is left as it is: mounting it would show what it points to.
  if (!stats || stats.isSymbolicLink()) return [];
  if (stats.isDirectory()) return [dotGit, ...(await alternates(dotGit))];
  const pointer = await readPointer(dotGit);
  const gitDir = /^gitdir: (.+)$/m.exec(pointer ?? '')?.[1]?.trim();
  if (!gitDir) return [dotGit];
  const worktreeDir = await realpath(resolve(workspace, gitDir)).catch(() => undefined);
  if (!worktreeDir || !(await pointsBack(worktreeDir, dotGit))) return [dotGit];
  const common = (await readPointer(join(worktreeDir, 'commondir')))?.trim();
  const commonDir = common ? resolve(worktreeDir, common) : worktreeDir;
  return [dotGit, worktreeDir, commonDir, ...(await alternates(commonDir))];
}

async function pointsBack(worktreeDir: string, dotGit: string): Promise<boolean> {
  const back = (await readPointer(join(worktreeDir, 'gitdir')))?.trim();
  if (!back) return false;
  const [named, own] = await Promise.all(
    [resolve(worktreeDir, back), dotGit].map((path) => realpath(dirname(path)).catch(() => undefined)),
  );
  return named !== undefined && named === own;
}

async function alternates(gitDir: string): Promise<string[]> {
  const objects = join(gitDir, 'objects');
  const lines = (await readPointer(join(objects, 'info', 'alternates')))?.split('\n') ?? [];
  return (
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .slice(0, MAX_ALTERNATES)
      .map((line) => (isAbsolute(line) ? line : resolve(objects, line)))
      // A repository that came with its git dir could name any folder of this host.
      .filter((path) => basename(path) === 'objects')
  );
}

async function readPointer(path: string): Promise<string | undefined> {
  // Not waited for, should a pipe take its place in this moment.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MAX_POINTER_BYTES ? await handle.readFile('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
