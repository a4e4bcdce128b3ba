/**
 * A follow-up task that carries the earlier work as a patch (protocol.md, Results): it is applied to an index,
 * never to files, so that nothing in it can reach outside of the tree, and becomes a commit on top of the base.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Clock, Outcome } from '../ports.ts';
import { runGit, runGitText } from './git.ts';
import { failure } from './workspace-error.ts';
import { makeCommit } from './worktree.ts';

const MAX_CARRIED_PATCH_CHARS = 2 * 1024 * 1024;

/** The patch in a task's metadata (`follow_up_patch`). */
export function carriedPatch(metadata: Record<string, unknown> | undefined): string | undefined {
  const patch = metadata?.follow_up_patch;
  return typeof patch === 'string' && patch !== '' ? patch : undefined;
}

/** Commits `patch` on top of `base` in the cache; answers the commit. */
export async function commitPatch(
  cache: string,
  base: string,
  patch: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Outcome<string>> {
  if (patch.length > MAX_CARRIED_PATCH_CHARS)
    return failure('workspace_patch_failed', 'The carried patch is too large');
  const indexFile = join(cache, `patch-index-${randomUUID()}`);
  const call = { gitDir: cache, indexFile, signal };
  try {
    const read = await runGit({ ...call, args: ['read-tree', base] });
    if (!read.ok) return read;
    const applied = await runGit({
      ...call,
      args: ['apply', '--cached', '--whitespace=nowarn', '-'],
      input: patch,
    });
    if (!applied.ok) {
      return failure(
        'workspace_patch_failed',
        `The earlier work does not apply to ${base}: ${applied.failure.message}`,
      );
    }
    const treeId = await runGitText({ ...call, args: ['write-tree'] });
    return treeId.ok
      ? await makeCommit(cache, treeId.value, base, 'Earlier work of this task', clock)
      : treeId;
  } finally {
    await rm(indexFile, { force: true });
  }
}
