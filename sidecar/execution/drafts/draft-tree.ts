/**
 * A tree of its own for everything that is tried before the task's tree is touched: the checks on the untouched tree, and
 * each draft. Whatever a check writes there is gone with the tree.
 */
import { errorMessage } from '../../values/errors.ts';
import type { Outcome } from '../../ports.ts';
import type { ChangedFile } from '../../applying/index.ts';
import type { Fork } from '../../workspace/task-workspace.ts';
import { runBeside } from '../checking/run-beside.ts';
import type { TaskRun } from '../task/task-run.ts';

/** Whether copies of the task's tree can be made: not every environment has the means. */
export const canFork = ({ env }: TaskRun): boolean => env.at !== undefined;

/**
 * Calls `work` with the run as it is in a copy of the task's tree, where it tells nobody what it does, and removes the copy
 * afterwards. Copies share what tools cache. `commit` makes what is in the copy a commit, as the task's work is one when it
 * is checked. A failure to make a copy is data; what `work` rejects with is passed on.
 */
export async function inFork<T>(
  run: TaskRun,
  work: (fork: TaskRun, copy: Pick<Fork, 'commit'>) => Promise<T>,
): Promise<Outcome<T>> {
  const forked = await run.workspace.fork({ signal: run.control.signal });
  if (!forked.ok) return forked;
  const copy = forked.value;
  const opened = await runBeside(
    run,
    { dir: copy.dir, gitDirs: copy.gitDirs, sharesCache: true },
    // The worker commits what is tried there before it looks whether all is committed.
    { uncommittedFiles: () => Promise.resolve([]), release: () => copy.release() },
  );
  if (!opened.ok) return opened;
  try {
    return { ok: true, value: await work({ ...opened.value.run, emit: () => undefined }, copy) };
  } finally {
    await opened.value.close();
  }
}

/** Puts changed files into a run's tree; those that are to go are removed. A path that may not be written is data. */
export async function writeFiles({ env }: TaskRun, files: readonly ChangedFile[]): Promise<Outcome<true>> {
  for (const { path, after } of files) {
    try {
      if (after === undefined) await env.deleteFile(path);
      else await env.writeFile(path, after);
    } catch (error) {
      return {
        ok: false,
        failure: { code: 'draft_not_written', message: `${path}: ${errorMessage(error)}` },
      };
    }
  }
  return { ok: true, value: true };
}
