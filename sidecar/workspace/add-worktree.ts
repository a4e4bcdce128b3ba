/** Makes a worktree of a cache, for a task or its checks: from a kept tree if there is one. */
import { join } from 'node:path';
import type { Outcome } from '../ports.ts';
import { readSmall } from '../system/small-file.ts';
import { runGit } from './git.ts';
import { takeWarm } from './warm-trees.ts';
import { failure, success } from './workspace-error.ts';

const CHECKOUT_TIMEOUT_MS = 300_000;

/** Registers and fills a worktree at `dir` with a commit, on a branch that has it or on none. Returns its git dir. */
export async function addWorktree(
  cache: string,
  dir: string,
  { commit, branch }: { commit: string; branch?: string },
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const head = branch === undefined ? commit : `ref: refs/heads/${branch}`;
  const warm = await takeWarm(cache, dir, { commit, head, isLocked: branch !== undefined }, signal);
  if (warm !== undefined) return success(warm);
  // Twice: a registration that a killed worker left is replaced, and another worker may have the branch too.
  const args = ['worktree', 'add', '--quiet', '--force', '--force'];
  // Locked, no git forgets it because a task removed the `.git` file.
  args.push(...(branch === undefined ? ['--detach', dir, commit] : ['--lock', dir, branch]));
  const added = await runGit({ gitDir: cache, args, timeoutMs: CHECKOUT_TIMEOUT_MS, signal });
  if (!added.ok) return added;
  const gitDir = /^gitdir: (.+)$/m.exec((await readSmall(join(dir, '.git'))) ?? '')?.[1];
  return gitDir === undefined ? failure('git_failed', `git made no worktree at ${dir}`) : success(gitDir);
}
