/** Has git make a worktree of a cache, for a task or a fork of one. */
import { join } from 'node:path';
import type { Outcome } from '../ports.ts';
import { readSmall } from '../system/small-file.ts';
import { runGit } from './git.ts';
import { failure, success } from './workspace-error.ts';

const CHECKOUT_TIMEOUT_MS = 300_000;

/** Registers and fills a worktree at `dir` with a branch or commit. Answers its git dir. */
export async function addWorktree(
  cache: string,
  dir: string,
  [option, start]: ['--lock' | '--detach', start: string],
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  // Twice: a registration that a killed worker left is replaced, and another worker may have the branch too.
  const args = ['worktree', 'add', '--quiet', '--force', '--force', option, dir, start];
  const added = await runGit({ gitDir: cache, args, timeoutMs: CHECKOUT_TIMEOUT_MS, signal });
  if (!added.ok) return added;
  const gitDir = /^gitdir: (.+)$/m.exec((await readSmall(join(dir, '.git'))) ?? '')?.[1];
  return gitDir === undefined ? failure('git_failed', `git made no worktree at ${dir}`) : success(gitDir);
}
