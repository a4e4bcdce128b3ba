/** The run of a task as one attempt has it. */
import { runPart } from '../task/journal.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { AttemptPlan } from './attempt-plan.ts';
import { earlierAttempts } from './describe-attempts.ts';
import type { EndedAttempt } from './ended-attempt.ts';

/** The first attempt has the task's own journal; later ones keep their stages apart. */
export function attemptRun(task: TaskRun, ended: readonly EndedAttempt[], plan: AttemptPlan): TaskRun {
  const run = withShare(task, plan.count - ended.length);
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...runPart(run, `attempt-${number}`),
    attempt: {
      number,
      earlier: earlierAttempts(ended, run.control.takenTexts),
      triedModels: ended.map(({ model }) => model),
    },
  };
}

/** The first answer of a small model on a processor takes most of this. */
const LEAST_SHARE_MS = 60_000;

/** The run with its share of the time that is left to so many attempts; the last one may take all of it. */
function withShare(run: TaskRun, attemptsLeft: number): TaskRun {
  const { leftMs } = run.control;
  const timeoutMs = Math.max(LEAST_SHARE_MS, leftMs / Math.max(1, attemptsLeft));
  if (timeoutMs >= leftMs) return run;
  return { ...run, control: run.control.part(timeoutMs), limits: { ...run.limits, timeoutMs } };
}
