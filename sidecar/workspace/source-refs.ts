/**
 * The names of a local source's branches, remote branches and tags, for tasks to read in their trees: checks compare with
 * `origin/main` and ask for tags. They are written into the cache, which no task can write.
 */
import { join } from 'node:path';
import type { Outcome } from '../ports.ts';
import { readSmall } from '../system/small-file.ts';
import { runGit, runGitText } from './git.ts';
import { writeWhole } from './private-git-dir.ts';
import type { LocalRepository } from './repository-source.ts';
import { isTaskBranch } from './task-names.ts';
import { success } from './workspace-error.ts';

const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Brings the cache's names up to date; those of tasks stay. Only while nobody else writes the cache. */
export async function copyRefs(
  cache: string,
  source: LocalRepository,
  signal?: AbortSignal,
): Promise<Outcome<true>> {
  const args = [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ];
  const listed = await runGitText({ gitDir: source.gitDir, args, maxOutputBytes: MAX_LIST_BYTES, signal });
  if (!listed.ok) return listed;
  const known = join(cache, 'source-refs');
  const before = (await readSmall(known, MAX_LIST_BYTES)) ?? '';
  const now = listed.value.split('\n').filter((line) => line !== '' && !isOfTasks(nameOf(line)));
  if (now.join('\n') === before) return success(true);
  const names = new Set(now.map(nameOf));
  const gone = before.split('\n').filter((line) => line !== '' && !names.has(nameOf(line)));
  // First what is gone: a name may have become the folder of another.
  for (const commands of [
    gone.map((line) => `delete ${nameOf(line)}`),
    now.map((line) => `update ${nameOf(line)} ${line.slice(0, line.indexOf(' '))}`),
  ]) {
    const input = commands.map((command) => `${command}\n`).join('');
    const updated = await runGit({
      gitDir: cache,
      args: ['update-ref', '--no-deref', '--stdin'],
      input,
      signal,
    });
    if (!updated.ok) return updated;
  }
  await writeWhole(known, now.join('\n'));
  return success(true);
}

const nameOf = (line: string): string => line.slice(line.indexOf(' ') + 1);

/** Branches of tasks are the cache's own, and a branch of that name cannot stand beside them. */
const isOfTasks = (ref: string): boolean => ref === 'refs/heads/sidecar' || isTaskBranch(ref);
