/** Describes how to get a finished task's branch, for each kind of repository. */
import type { Config } from '../base/config/schema.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { cacheGitDirOf, findTaskCache } from '../workspace/repository-cache.ts';
import { runGit } from '../workspace/git.ts';
import { resolveSource, type RepositorySource } from '../workspace/repository-source.ts';
import { taskBranchOf } from '../workspace/task-names.ts';
import { toPrintable } from '../base/values/printable.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';

/** An introduction and the commands to run. */
interface MergeInstructions {
  intro: string;
  commands: string[];
}

/**
 * Describes how to get a branch. Called after the task has ended: only then it is known whether the branch is in its
 * repository or only in the worker's cache.
 */
export type MergeDescriber = (branch: string) => Promise<MergeInstructions>;

/** Returns a function that describes how to get branches of a repository; undefined if the repository is missing. */
export async function createMergeDescriber(
  repo: string,
  { worker }: Pick<Config, 'worker'>,
): Promise<MergeDescriber | undefined> {
  const source = await resolveSource(repo);
  if (!source.ok) return undefined;
  const { cacheDir } = resolveWorkerFolders(worker);
  return async (branch) =>
    chooseMergeCommands(source.value, cacheDir, {
      branch,
      isPublished: await hasBranch(source.value, branch),
    });
}

/**
 * Describes how to get a branch, whichever worker made it; undefined if no repository on this machine has the branch.
 */
export async function describeLocalMerge(
  repo: string,
  branch: string,
): Promise<MergeInstructions | undefined> {
  const source = await resolveSource(repo);
  if (!source.ok || !(await hasBranch(source.value, branch))) return undefined;
  return chooseMergeCommands(source.value, '', { branch, isPublished: true });
}

/** Describes how to get the files of a task that has no repository. `cacheDir`: the folder of the worker's caches, if it is known. */
export async function describeFilesOfTask(
  taskId: string,
  cacheDir: string | undefined,
): Promise<MergeInstructions[]> {
  const patch = {
    intro: 'To apply the patch in a git repository:',
    commands: [`ollama-sidecar apply ${quoteShellWord(toPrintable(taskId))}`],
  };
  const cache = cacheDir === undefined ? undefined : await findTaskCache(cacheDir, taskId);
  if (cache === undefined) return [patch];
  const branch = quoteShellWord(taskBranchOf(taskId));
  const clone = `git clone --branch ${branch} ${quoteShellWord(cache)} DIR`;
  return [patch, { intro: 'Or, to clone the commit from the worker’s cache:', commands: [clone] }];
}

async function hasBranch(source: RepositorySource, branch: string): Promise<boolean> {
  if (source.kind === 'remote') return false;
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  return (await runGit({ gitDir: source.gitDir, args })).ok;
}

/** Chooses the commands that get a branch. Pure. Without `isPublished`, only the worker's cache has the branch. */
export function chooseMergeCommands(
  source: RepositorySource,
  cacheDir: string,
  { branch, isPublished }: { branch: string; isPublished: boolean },
): MergeInstructions {
  const formatPull = (from: string, git = 'git') =>
    `${git} pull --no-rebase ${quoteShellWord(from)} ${quoteShellWord(branch)}`;
  const cache = cacheGitDirOf(cacheDir, source);
  if (source.kind === 'remote')
    return { intro: 'To apply the changes in a clone:', commands: [formatPull(cache)] };
  if (!isPublished) {
    const intro = 'The branch is in the worker’s cache, not in the repository. To apply the changes';
    return source.workTree === undefined
      ? { intro: `${intro} in a clone:`, commands: [formatPull(cache)] }
      : { intro: `${intro}:`, commands: [formatPull(cache, `git -C ${quoteShellWord(source.path)}`)] };
  }
  const git = `git -C ${quoteShellWord(source.path)}`;
  if (source.workTree !== undefined) {
    return { intro: 'To apply the changes:', commands: [`${git} merge ${quoteShellWord(branch)}`] };
  }
  return {
    intro: 'To view the changes in the repository, and to apply them in a clone:',
    commands: [`${git} log -p HEAD..${quoteShellWord(branch)}`, formatPull(source.path)],
  };
}
