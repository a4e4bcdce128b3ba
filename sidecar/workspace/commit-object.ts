/** Commits by the worker: no hooks, no signing, no look at anybody's configuration. */
import type { Clock, Outcome } from '../ports.ts';
import { runGitText } from './git.ts';

const identity = 'ollama-sidecar';
const email = `${identity}@localhost`;
const MAX_MESSAGE_CHARS = 10_000;

/** Makes a commit of a tree; no ref is moved. Answers its id. */
export function makeCommit(
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
  return runGitText({
    gitDir,
    args: ['commit-tree', treeId, ...(parent === undefined ? [] : ['-p', parent])],
    input: `${input}\n`,
    env,
  });
}

/** Whether a worker made the commit. One that cannot be read counts as made by one. */
export async function isCommitOfWorker(gitDir: string, commit: string): Promise<boolean> {
  const said = await runGitText({
    gitDir,
    args: ['log', '-1', '--no-show-signature', '--format=%ce', commit],
  });
  return !said.ok || said.value === email;
}
