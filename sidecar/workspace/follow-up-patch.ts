/**
 * Begins a follow-up task, which continues earlier work and is judged against the first commit of its chain. If the task contains the
 * earlier work as a patch, the patch is applied to an index and becomes a commit on top of the base. It is never applied to files, so it
 * cannot reach outside of the tree.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/ports.ts';
import { makeCommit } from './commit-object.ts';
import { runGit, runGitText } from './git.ts';
import type { GitCall } from './git.ts';

import { FULL_COMMIT_ID } from './repository-cache.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

const MAX_FOLLOW_UP_PATCH_CHARS = 2 * 1024 * 1024;

/** Returns the patch in a task's metadata (`follow_up_patch`). */
export function readFollowUpPatch(metadata: Record<string, unknown> | undefined): string | undefined {
  const patch = metadata?.follow_up_patch;
  return typeof patch === 'string' && patch !== '' ? patch : undefined;
}

/** Returns whether a task continues earlier work. If so, its starting commit differs from its base. */
export const continuesWork = (metadata: Record<string, unknown> | undefined): boolean =>
  readFollowUpPatch(metadata) !== undefined || metadata?.follow_up_base !== undefined;

/** Returns the base of a task that begins at `start`: for a follow-up, the first commit of its chain (`follow_up_base`). */
export async function resolveFirstBase(
  cache: string,
  start: string,
  metadata: Record<string, unknown> | undefined,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const first = metadata?.follow_up_base ?? start;
  if (first === start) return success(start);
  if (typeof first === 'string' && FULL_COMMIT_ID.test(first)) {
    const args = ['merge-base', '--is-ancestor', first, start];
    if ((await runGit({ gitDir: cache, args, signal })).ok) return success(first);
  }
  return failure(
    'workspace_ref_missing',
    `This follow-up starts from a commit that ${start} does not contain. Submit the task again`,
  );
}

/** Commits `patch` on top of `base` in the cache. Returns the commit. */
export async function commitPatch(
  cache: string,
  base: string,
  patch: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  const indexFile = join(cache, `patch-index-${randomUUID()}`);
  const call = { gitDir: cache, indexFile, signal };
  try {
    const baseRead = await runGit({ ...call, args: ['read-tree', base] });
    if (!baseRead.ok) return baseRead;
    const applied = await applyToIndex(call, patch, base);
    if (!applied.ok) return applied;
    const treeId = await runGitText({ ...call, args: ['write-tree'] });
    return treeId.ok
      ? await makeCommit(cache, treeId.value, base, 'Changes of the previous task', clock)
      : treeId;
  } finally {
    await rm(indexFile, { force: true });
  }
}

async function applyToIndex(
  call: Pick<GitCall, 'gitDir' | 'indexFile' | 'signal'>,
  patch: string,
  base: string,
): Promise<Outcome<true>> {
  if (patch.length > MAX_FOLLOW_UP_PATCH_CHARS) {
    return failure(
      'workspace_patch_failed',
      `The patch with the previous task's changes is larger than ${MAX_FOLLOW_UP_PATCH_CHARS} characters, so the follow-up cannot start from it`,
    );
  }
  const args = ['apply', '--cached', '--whitespace=nowarn', '-'];
  const applied = await runGit({ ...call, args, input: patch });
  if (applied.ok) return success(true);
  if (applied.failure.code !== 'git_failed') return applied;
  return failure(
    'workspace_patch_failed',
    `The patch with the previous task's changes does not apply to ${base}: ${applied.failure.message}`,
  );
}
