/** Creates commits of the worker, without hooks, signing, or a user's configuration. */
import type { Clock } from '../base/ports.ts';
import { resolveId, runGitText } from './git.ts';
import type { Outcome } from '../base/values/outcome.ts';

const COMMITTER_NAME = 'ollama-sidecar';
const COMMITTER_EMAIL = `${COMMITTER_NAME}@localhost`;
const MAX_MESSAGE_CHARS = 10_000;

/** Commits a tree without moving a ref. Returns the id of the commit. */
export async function makeCommit(
  gitDir: string,
  treeId: string,
  parent: string | undefined,
  message: string,
  clock: Clock,
): Promise<Outcome<string>> {
  const date = `${Math.floor(clock.now() / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: COMMITTER_NAME,
    GIT_AUTHOR_EMAIL: COMMITTER_EMAIL,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: COMMITTER_NAME,
    GIT_COMMITTER_EMAIL: COMMITTER_EMAIL,
    GIT_COMMITTER_DATE: date,
  };
  const input = message.replaceAll('\0', '').trim().slice(0, MAX_MESSAGE_CHARS) || 'Changes of a task';
  const commit = await runGitText({
    gitDir,
    args: ['commit-tree', treeId, ...(parent === undefined ? [] : ['-p', parent])],
    input: `${input}\n`,
    env,
  });
  if (commit.ok) cacheTree(commit.value, treeId);
  return commit;
}

/** Caches the tree of each commit, so that git runs only once for each commit. */
const TREE_BY_COMMIT = new Map<string, string>();
const MAX_CACHED_TREES = 1_000;

function cacheTree(commit: string, tree: string): void {
  if (TREE_BY_COMMIT.size >= MAX_CACHED_TREES) TREE_BY_COMMIT.clear();
  TREE_BY_COMMIT.set(commit, tree);
}

/** Returns the tree of a commit, by its full hash. */
export async function resolveTree(gitDir: string, commit: string): Promise<Outcome<string>> {
  const cachedTree = TREE_BY_COMMIT.get(commit);
  if (cachedTree !== undefined) return { ok: true, value: cachedTree };
  const treeId = await resolveId(gitDir, `${commit}^{tree}`);
  if (treeId.ok) cacheTree(commit, treeId.value);
  return treeId;
}

/** Returns whether a worker made the commit; true if it cannot be read. */
export async function isWorkerCommit(gitDir: string, commit: string): Promise<boolean> {
  const committer = await runGitText({
    gitDir,
    args: ['log', '-1', '--no-show-signature', '--format=%ce', commit],
  });
  return !committer.ok || committer.value === COMMITTER_EMAIL;
}
