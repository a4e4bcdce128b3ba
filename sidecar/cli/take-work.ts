/** How a person gets at the branch of a finished task, by what the repository is: commands to copy. */
import type { Config } from '../config/schema.ts';
import { workerFolders } from '../worker/folders.ts';
import { cacheGitDir } from '../workspace/repository-cache.ts';
import { resolveSource, type RepositorySource } from '../workspace/repository-source.ts';
import { shellWord } from './shell-word.ts';

/** What is said before the commands, and the commands. */
export interface TakeWork {
  intro: string;
  commands: string[];
}

/** For the repository that a task names; undefined for one that cannot be found any more. */
export async function howToTake(
  repo: string,
  { worker }: Pick<Config, 'worker'>,
): Promise<((branch: string) => TakeWork) | undefined> {
  const source = await resolveSource(repo);
  if (!source.ok) return undefined;
  const { cacheDir } = workerFolders(worker);
  return (branch) => takeFrom(source.value, cacheDir, branch);
}

/** Pure. A bare repository has nothing to merge into, and a remote one may not have the branch: the cache has. */
export function takeFrom(source: RepositorySource, cacheDir: string, branch: string): TakeWork {
  const pull = (from: string) => `git pull --no-rebase ${shellWord(from)} ${shellWord(branch)}`;
  if (source.kind === 'remote') {
    return { intro: 'To take it, in a clone:', commands: [pull(cacheGitDir(cacheDir, source))] };
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
