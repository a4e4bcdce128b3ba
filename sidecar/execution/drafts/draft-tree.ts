/**
 * A tree of its own for everything that is tried before the task's tree is touched: the checks on the untouched tree, and
 * each draft. Whatever a check writes there is gone with the tree.
 */
import { errorMessage } from '../../values/errors.ts';
import type { Outcome } from '../../ports.ts';
import type { ChangedFile } from '../../applying/index.ts';
import type { TaskRun } from '../task/task-run.ts';

/** A run in a copy of the task's tree. `close` removes the copy. */
interface ForkedRun {
  fork: TaskRun;
  /** Makes what is in it a commit, as the task's work is one when it is checked. */
  commit: () => Promise<Outcome<true>>;
  close: () => Promise<void>;
}

/** Whether copies of the task's tree can be made: not every environment has the means. */
export const canFork = ({ env }: TaskRun): boolean => env.at !== undefined;

/**
 * The run as it is in a copy of the task's tree, where it tells nobody what it does. Copies in which changes are tried share
 * what tools cache. A failure to make one is data.
 */
async function openFork(run: TaskRun): Promise<Outcome<ForkedRun>> {
  const { workspace, env, control } = run;
  const forked = await workspace.fork({ signal: control.signal });
  if (!forked.ok) return forked;
  const { dir, gitDirs } = forked.value;
  const there = await env.at?.({ dir, gitDirs, sharesCache: true });
  const close = async (): Promise<void> => {
    await there?.cleanup();
    await forked.value.release();
  };
  if (!there) {
    await close();
    return {
      ok: false,
      failure: { code: 'workspace_no_fork', message: 'this environment cannot be copied' },
    };
  }
  await there.initialize();
  return {
    ok: true,
    value: {
      fork: {
        ...run,
        // The worker commits what is tried there before it looks whether all is committed.
        workspace: { ...workspace, dir, gitDirs, uncommittedFiles: () => Promise.resolve([]) },
        env: there,
        emit: () => undefined,
      },
      commit: () => forked.value.commit(),
      close,
    },
  };
}

/** Calls `work` with a fork and removes it afterwards; what `work` rejects with is passed on. */
export async function inFork<T>(
  run: TaskRun,
  work: (fork: TaskRun, opened: Pick<ForkedRun, 'commit'>) => Promise<T>,
): Promise<Outcome<T>> {
  const forked = await openFork(run);
  if (!forked.ok) return forked;
  try {
    return { ok: true, value: await work(forked.value.fork, forked.value) };
  } finally {
    await forked.value.close();
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
