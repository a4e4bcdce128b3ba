/** The run of a task as one of its attempts has it. The first is the task's own; later ones keep their stages apart. */
import { runPart } from '../task/run-part.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import { earlierAttempts } from './tell-attempts.ts';

export function attemptRun(run: TaskRun, ended: readonly EndedAttempt[]): TaskRun {
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...runPart(run, `attempt-${number}`),
    attempt: {
      number,
      earlier: earlierAttempts(ended, run.control.heard),
      triedModels: ended.map(({ model }) => model),
    },
  };
}
