/** Creates commits of the worker, without hooks, signing, or a user's configuration. */
import type { Clock } from '../base/ports.ts';
import { idOf, runGitText } from './git.ts';
import type { Outcome } from '../base/values/outcome.ts';

const identity = 'ollama-sidecar';
const email = `${identity}@localhost`;
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
    GIT_AUTHOR_NAME: identity,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const input = message.replaceAll('\0', '').trim().slice(0, MAX_MESSAGE_CHARS) || 'Work of a task';
  const made = await runGitText({
    gitDir,
    args: ['commit-tree', treeId, ...(parent === undefined ? [] : ['-p', parent])],
    input: `${input}\n`,
    env,
  });
  if (made.ok) remember(made.value, treeId);
  return made;
}

/** Cache of trees by commit, so that git runs once for each commit. */
const TREES = new Map<string, string>();
const MAX_TREES = 1_000;

function remember(commit: string, tree: string): void {
  if (TREES.size >= MAX_TREES) TREES.clear();
  TREES.set(commit, tree);
}

/** Returns the tree of a commit, by its full hash. */
export async function treeOf(gitDir: string, commit: string): Promise<Outcome<string>> {
  const known = TREES.get(commit);
  if (known !== undefined) return { ok: true, value: known };
  const found = await idOf(gitDir, `${commit}^{tree}`);
  if (found.ok) remember(commit, found.value);
  return found;
}

/** Returns whether a worker made the commit; true if it cannot be read. */
export async function isCommitOfWorker(gitDir: string, commit: string): Promise<boolean> {
  const committer = await runGitText({
    gitDir,
    args: ['log', '-1', '--no-show-signature', '--format=%ce', commit],
  });
  return !committer.ok || committer.value === email;
}
