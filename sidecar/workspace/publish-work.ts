/**
 * Publishes a task's branch to the local repository of the task, or to the remote. For a local repository, the objects are written as a
 * pack by a git with the cache's configuration. Only the ref is set by a git that reads the source's own configuration, with hooks and
 * transports off. `git push` would start eight processes instead of three.
 */
import { join } from 'node:path';
import { listObjectStores, formatStoreList } from './copy-source.ts';
import { resolveId, runGit, runGitText } from './git.ts';
import { buildFileTransportOptions } from './repository-cache.ts';
import type { LocalRepository, RemoteRepository, RepositorySource } from './repository-source.ts';
import type { Publication } from './task-workspace.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

/** Ref of a branch `sidecar`. If it exists, git cannot create branches of tasks, which would lie below it. */
const TASK_BRANCH_FOLDER = 'refs/heads/sidecar';
const PUBLISH_TIMEOUT_MS = 300_000;

/** The work to publish: commits that are reachable from `commit` and not from `baseCommit`. */
export interface PublishableWork {
  cache: string;
  branch: string;
  baseCommit: string;
  commit: string;
}

export async function publishWork(
  work: PublishableWork,
  source: RepositorySource,
  push: 'never' | 'branch',
): Promise<Outcome<Publication>> {
  const where = source.kind === 'local' ? 'source' : push === 'branch' ? 'remote' : 'cache';
  const published =
    source.kind === 'local'
      ? await storeInSource(work, source)
      : push === 'branch'
        ? await pushBranch(work, source)
        : success(true);
  if (published.ok) return success({ branch: work.branch, commit: work.commit, where });
  const action =
    source.kind === 'local' ? `publish ${work.branch} in ${source.path}` : `push to ${source.url}`;
  return failure('workspace_publish_failed', `Could not ${action}: ${published.failure.message}`, true);
}

async function storeInSource(work: PublishableWork, source: LocalRepository): Promise<Outcome<unknown>> {
  const ref = `refs/heads/${work.branch}`;
  const format = '--format=%(objectname) %(worktreepath)';
  const branchRef = await runGitText({ gitDir: source.gitDir, args: ['for-each-ref', format, ref] });
  if (!branchRef.ok) return branchRef;
  const [current = '', ...path] = branchRef.value.split(' ');
  if (current === work.commit) return success(true);
  if (path.join(' ') !== '')
    return failure(
      'checked_out',
      `this branch is checked out at ${path.join(' ')}; check out another branch in that folder`,
    );
  const packed = await packWork(work, source);
  if (!packed.ok) return packed;
  const set = await runGit({ gitDir: source.gitDir, args: ['update-ref', '--no-deref', ref, work.commit] });
  if (set.ok || !(await resolveId(source.gitDir, TASK_BRANCH_FOLDER)).ok) return set;
  return failure(
    'branch_in_the_way',
    'the branch `sidecar` exists, so git cannot create branches below `sidecar/`; rename the branch `sidecar`',
  );
}

async function packWork(work: PublishableWork, source: LocalRepository): Promise<Outcome<unknown>> {
  const [objects = '', ...borrowedStores] = await listObjectStores(source);
  return runGit({
    gitDir: work.cache,
    args: ['pack-objects', '--quiet', '--revs', join(objects, 'pack', 'pack')],
    input: `${work.commit}\n^${work.baseCommit}\n`,
    // git writes the pack into the source's own object store, because it renames the finished file, which requires the same file system.
    env: {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: formatStoreList([join(work.cache, 'objects'), ...borrowedStores]),
    },
    timeoutMs: PUBLISH_TIMEOUT_MS,
  });
}

function pushBranch(
  { cache, branch }: PublishableWork,
  { url, credentials }: RemoteRepository,
): Promise<Outcome<unknown>> {
  const ref = `refs/heads/${branch}`;
  const flags = ['--quiet', '--no-verify', ...buildFileTransportOptions(url, 'receive-pack')];
  return runGit({
    gitDir: cache,
    args: ['push', ...flags, '--', url, `+${ref}:${ref}`],
    config: credentials,
    usesOperatorConfig: true,
    timeoutMs: PUBLISH_TIMEOUT_MS,
  });
}
