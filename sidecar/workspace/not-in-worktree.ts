/**
 * The parts of a repository that are not in its worktree: submodules, whose folders are empty, and the content of files that are
 * kept in Git LFS. Other repositories are fetched only where a task names them. That is said, never silent.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../ports.ts';
import { runGit } from './git.ts';
import { readSmall } from '../system/small-file.ts';
import { isReached } from './reached.ts';
import { splitNul } from './work-tree.ts';

/** How git lists the commit of another repository. */
const SUBMODULE_MODE = '160000 ';
const MAX_NAMED = 20;

/** Paths of the submodules, at most 20; empty where there are none. Never rejects: what git refuses to list is logged. */
export async function emptySubmodules(
  { gitDir, dir }: { gitDir: string; dir: string },
  { signal, logger }: { signal?: AbortSignal; logger?: Logger },
): Promise<string[]> {
  // Listing a large repository costs more than looking whether it declares any.
  const declares = await lstat(join(dir, '.gitmodules')).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!declares) return [];
  const listed = await runGit({ gitDir, workTree: dir, args: ['ls-files', '--stage', '-z'], signal });
  if (!listed.ok) {
    logger?.warn({ code: listed.failure.code }, `Submodules could not be listed: ${listed.failure.message}`);
    return [];
  }
  return splitNul(listed.value)
    .map((entry) => entry.toString('utf8'))
    .filter((entry) => entry.startsWith(SUBMODULE_MODE))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
    .slice(0, MAX_NAMED);
}

/** Whether the repository keeps files in Git LFS, by the attributes at its root. */
export async function usesLfs(dir: string): Promise<boolean> {
  return /filter=lfs/.test((await readSmall(join(dir, '.gitattributes'))) ?? '');
}

/**
 * Files in the folders of submodules, which are never part of a commit of the repository itself; at most 20. A folder that
 * a task replaced by a link, or that lies behind one, is not looked into.
 */
export async function filesInSubmodules(dir: string, submodules: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of submodules) {
    if (!(await isReached(dir, Buffer.from(path)))) continue;
    const names = await readdir(join(dir, path)).catch(() => []);
    found.push(...names.filter((name) => name !== '.git').map((name) => join(path, name)));
  }
  return found.slice(0, MAX_NAMED);
}
