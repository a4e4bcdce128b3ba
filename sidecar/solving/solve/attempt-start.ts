/** Begins an attempt: creates its run of the task, and restores its tree, which is the base or the tree of the best attempt so far. */
import { restoreTree } from '../task/tree-files.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { AttemptPlan } from './solving-options.ts';
import { describeEarlierAttempts } from './describe-attempts.ts';
import { chooseStart, type EndedAttempt } from './ended-attempt.ts';

/** Returns the run of the next attempt. Call ids of later attempts get a prefix, so that their rows on the timeline are distinct. */
export function createAttemptRun(
  wholeRun: TaskRun,
  ended: readonly EndedAttempt[],
  plan: AttemptPlan,
): TaskRun {
  const run = limitToShare(wholeRun, plan.count - ended.length);
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...run,
    emit: ({ call_id: id, ...event }) =>
      run.emit(id === undefined ? event : { ...event, call_id: `attempt-${number}/${id}` }),
    attempt: {
      number,
      earlierSummary: describeEarlierAttempts(ended, run.control.steering.deliveredTexts),
      triedModels: ended.map(({ model }) => model),
    },
  };
}

/** Minimum time of an attempt. The first answer of a small model on a CPU takes most of it. */
const MIN_SHARE_MS = 60_000;

/** Returns the run with its share of the remaining time; the last attempt may use all of it. */
function limitToShare(run: TaskRun, attemptsLeft: number): TaskRun {
  const { leftMs } = run.control;
  const timeoutMs = Math.max(MIN_SHARE_MS, leftMs / Math.max(1, attemptsLeft));
  if (timeoutMs >= leftMs) return run;
  return { ...run, control: run.control.openPart(timeoutMs), limits: { ...run.limits, timeoutMs } };
}

/** Stores the attempt's tree in git and returns its id; undefined, with an event, if that fails. */
export async function storeTree({ workspace, emit }: TaskRun): Promise<string | undefined> {
  const outcome = await workspace.storePresentTree();
  if (outcome.ok) return outcome.value;
  emit({
    event_type: 'status',
    text: `The state of the files after this attempt could not be stored: ${outcome.failure.message}`,
  });
  return undefined;
}

/** Restores the tree that the next attempt begins with. */
export async function restoreStartTree(wholeRun: TaskRun, ended: readonly EndedAttempt[]): Promise<void> {
  if (ended.length === 0) return;
  const from = chooseStart(ended);
  if (from !== ended.at(-1)) await restoreTree(wholeRun, from ? from.tree : wholeRun.startTree);
}
