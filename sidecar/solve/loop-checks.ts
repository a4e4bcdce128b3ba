/** The checks as the loop runs them between its rounds: in the tree of the checks, so that nothing of theirs stays in the task's. */
import type { VerificationReport } from '../protocol/result.ts';
import type { LoopChecks } from '../loop/quick-checks.ts';
import { checkTree, trialTimeMs } from '../task/checking/check-tree.ts';
import { Judge } from '../drafts/judge.ts';
import type { TaskRun } from '../task/task-run.ts';

/** `base`: what they said of the untouched tree. */
export function loopChecks(run: TaskRun, base: LoopChecks['base']): LoopChecks {
  let trials: { of: VerificationReport; judge: Judge; count: number } | undefined;
  return {
    base,
    run: async (stage) => {
      const before = await base;
      return checkTree({ ...run, emit: () => undefined }, stage, {
        state: 'present',
        ...(before && { atMostMs: trialTimeMs(before) }),
      });
    },
    tryOut: ([files, ...readings], stage, before) => {
      // What was tried on another tree says nothing of this one.
      if (trials?.of !== before) trials = { of: before, judge: new Judge(run, stage), count: 0 };
      trials.count += 1;
      return trials.judge.try({ number: trials.count, files, readings, reason: '', answer: '' }, before);
    },
  };
}
