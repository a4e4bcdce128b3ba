/** The tree that the loop began with, for a draft that takes the place of what the loop made of it. */
import type { TaskRun } from '../task/task-run.ts';

const STAGE = 'loop-start';

/** Its name in the workspace, the same in all lives of the task; undefined where it cannot be kept. Throws `StorageError`. */
export async function keptLoopStart({ journal, workspace }: TaskRun): Promise<string | undefined> {
  const past = journal?.read(STAGE)[0]?.body as string | undefined;
  if (past !== undefined) return past;
  const kept = await workspace.keep();
  if (!kept.ok) return undefined;
  journal?.append([{ kind: 'result', stage: STAGE, round: 0, call: 0, body: kept.value }]);
  return kept.value;
}
