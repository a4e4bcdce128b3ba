/**
 * Publishes a task's branch to the local repository of the task, or to the remote. For a local repository, the objects are written as a
 * pack by a git with the cache's configuration. Only the ref is set by a git that reads the source's own configuration, with hooks and
 * transports off. `git push` would start eight processes instead of three.
 */
import { join } from 'node:path';
import { objectStores, storeList } from './copy-source.ts';
import { idOf, runGit, runGitText } from './git.ts';
import { fileTransport } from './repository-cache.ts';
import type { LocalRepository, RemoteRepository, RepositorySource } from './repository-source.ts';
import type { Publication } from './task-workspace.ts';
import { failure, type Outcome, success } from '../base/values/outcome.ts';

/** A branch of this name would prevent branches of tasks. */
const FOLDER_OF_BRANCHES = 'refs/heads/sidecar';
const PUBLISH_TIMEOUT_MS = 300_000;

/** The work to publish: commits that are reachable from `commit` and not from `baseCommit`. */
export interface Work {
  cache: string;
  branch: string;
  baseCommit: string;
  commit: string;
}

export async function publishWork(
  work: Work,
  source: RepositorySource,
  push: 'never' | 'branch',
): Promise<Outcome<Publication>> {
  const where = source.kind === 'local' ? 'source' : push === 'branch' ? 'remote' : 'cache';
  const done =
    source.kind === 'local'
      ? await storeInSource(work, source)
      : push === 'branch'
        ? await pushTo(work, source)
        : success(true);
  if (done.ok) return success({ branch: work.branch, commit: work.commit, where });
  const place =
    source.kind === 'local' ? `publish ${work.branch} in ${source.path}` : `push to ${source.url}`;
  return failure('workspace_publish_failed', `Could not ${place}: ${done.failure.message}`, true);
}

async function storeInSource(work: Work, source: LocalRepository): Promise<Outcome<unknown>> {
  const ref = `refs/heads/${work.branch}`;
  const format = '--format=%(objectname) %(worktreepath)';
  const known = await runGitText({ gitDir: source.gitDir, args: ['for-each-ref', format, ref] });
  if (!known.ok) return known;
  const [current = '', ...path] = known.value.split(' ');
  if (current === work.commit) return success(true);
  if (path.join(' ') !== '')
    return failure('checked_out', `it is checked out at ${path.join(' ')}; check out another branch there`);
  const packed = await packInto(work, source);
  if (!packed.ok) return packed;
  const set = await runGit({ gitDir: source.gitDir, args: ['update-ref', '--no-deref', ref, work.commit] });
  if (set.ok || !(await idOf(source.gitDir, FOLDER_OF_BRANCHES)).ok) return set;
  return failure(
    'branch_in_the_way',
    'the branch `sidecar` exists, so git cannot create branches below `sidecar/`; rename the branch `sidecar`',
  );
}

async function packInto(work: Work, source: LocalRepository): Promise<Outcome<unknown>> {
  const [objects = '', ...borrowed] = await objectStores(source);
  return runGit({
    gitDir: work.cache,
    args: ['pack-objects', '--quiet', '--revs', join(objects, 'pack', 'pack')],
    input: `${work.commit}\n^${work.baseCommit}\n`,
    // The pack is written in the source's own store, and renamed there.
    env: {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: storeList([join(work.cache, 'objects'), ...borrowed]),
    },
    timeoutMs: PUBLISH_TIMEOUT_MS,
  });
}

function pushTo({ cache, branch }: Work, { url, credentials }: RemoteRepository): Promise<Outcome<unknown>> {
  const ref = `refs/heads/${branch}`;
  const flags = ['--quiet', '--no-verify', ...fileTransport(url, 'receive-pack')];
  return runGit({
    gitDir: cache,
    args: ['push', ...flags, '--', url, `+${ref}:${ref}`],
    config: credentials,
    operatorConfig: true,
    timeoutMs: PUBLISH_TIMEOUT_MS,
  });
}
