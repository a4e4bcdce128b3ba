/** The commands that get a finished task's branch, for each kind of repository. */
import type { Config } from '../config/schema.ts';
import { workerFolders } from '../worker/folders.ts';
import { cacheGitDir } from '../workspace/repository-cache.ts';
import { runGit } from '../workspace/git.ts';
import { resolveSource, type RepositorySource } from '../workspace/repository-source.ts';
import { shellWord } from '../values/shell-word.ts';

/** An introduction, and the commands. */
interface TakeWork {
  intro: string;
  commands: string[];
}

/** Called when the task has ended; the branch may be where it belongs or only in the worker's cache. */
export type HowToTake = (branch: string) => Promise<TakeWork>;

/** For the repository that a task names; undefined for one that cannot be found any more. */
export async function howToTake(
  repo: string,
  { worker }: Pick<Config, 'worker'>,
): Promise<HowToTake | undefined> {
  const source = await resolveSource(repo);
  if (!source.ok) return undefined;
  const { cacheDir } = workerFolders(worker);
  return async (branch) =>
    takeFrom(source.value, cacheDir, { branch, isThere: await hasBranch(source.value, branch) });
}

/** For a task that any worker did: undefined where its branch has not come into a repository on this machine. */
export async function takeHere(repo: string, branch: string): Promise<TakeWork | undefined> {
  const source = await resolveSource(repo);
  if (!source.ok || !(await hasBranch(source.value, branch))) return undefined;
  return takeFrom(source.value, '', { branch, isThere: true });
}

async function hasBranch(source: RepositorySource, branch: string): Promise<boolean> {
  if (source.kind === 'remote') return false;
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  return (await runGit({ gitDir: source.gitDir, args })).ok;
}

/** Pure. A bare repository has nothing to merge into, and the branch may not be there (`isThere`): the cache has it. */
export function takeFrom(
  source: RepositorySource,
  cacheDir: string,
  { branch, isThere }: { branch: string; isThere: boolean },
): TakeWork {
  const pull = (from: string, git = 'git') =>
    `${git} pull --no-rebase ${shellWord(from)} ${shellWord(branch)}`;
  const cache = cacheGitDir(cacheDir, source);
  if (source.kind === 'remote') return { intro: 'To take it, in a clone:', commands: [pull(cache)] };
  if (!isThere) {
    const intro = 'It is not in the repository, but in the worker’s cache. To take it';
    return source.workTree === undefined
      ? { intro: `${intro}, in a clone:`, commands: [pull(cache)] }
      : { intro: `${intro}:`, commands: [pull(cache, `git -C ${shellWord(source.path)}`)] };
  }
  const git = `git -C ${shellWord(source.path)}`;
  if (source.workTree !== undefined) {
    return { intro: 'To take it:', commands: [`${git} merge ${shellWord(branch)}`] };
  }
  return {
    intro: 'To see it there, and to take it in a clone:',
    commands: [`${git} log -p HEAD..${shellWord(branch)}`, pull(source.path)],
  };
}
