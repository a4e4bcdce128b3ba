/**
 * Submodules of a task's repository. Only what the repository itself holds is brought into a worktree, so their folders
 * are empty there; other repositories are fetched only where a task names them. That is to be said, never silent.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../ports.ts';
import { runGit } from './git.ts';
import { splitNul } from './work-tree.ts';

/** How git lists the commit of another repository. */
const SUBMODULE_MODE = '160000 ';
const MAX_NAMED = 20;

/** Paths of the submodules, at most 20; empty where there are none. Never rejects: what git refuses to list is logged. */
export async function emptySubmodules(
  { gitDir, dir }: { gitDir: string; dir: string },
  { signal, logger }: { signal?: AbortSignal | undefined; logger?: Logger | undefined },
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
