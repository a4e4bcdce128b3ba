/** A run in another tree than the task's own, where its commands run in an environment of their own. */
import type { CopiedTree, Outcome } from '../../ports.ts';
import type { TaskRun } from '../task/task-run.ts';

/** `close` ends what runs there and gives the tree back. */
export interface RunBeside {
  run: TaskRun;
  close: () => Promise<void>;
}

interface Tree {
  uncommittedFiles(): Promise<string[]>;
  release(): Promise<void>;
}

export const noOtherTree: Outcome<never> = {
  ok: false,
  failure: { code: 'workspace_no_fork', message: 'this environment cannot be copied' },
};

/** The tree is given back, too, where the environment cannot be opened there; what that rejects with is passed on. */
export async function runBeside(run: TaskRun, place: CopiedTree, tree: Tree): Promise<Outcome<RunBeside>> {
  const { dir, gitDirs } = place;
  try {
    const env = await run.env.at?.(place);
    if (!env) {
      await tree.release();
      return noOtherTree;
    }
    await env.initialize();
    const workspace = { ...run.workspace, dir, gitDirs, uncommittedFiles: () => tree.uncommittedFiles() };
    const close = async (): Promise<void> => {
      await env.cleanup();
      await tree.release();
    };
    return { ok: true, value: { run: { ...run, workspace, env }, close } };
  } catch (error) {
    await tree.release();
    throw error;
  }
}
