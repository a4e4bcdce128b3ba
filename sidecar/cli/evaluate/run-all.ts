/**
 * Runs an evaluation: model by model, so that the server loads each model once, and run by run, so that a
 * stopped evaluation covers every task. Recorded runs are not repeated.
 */
import PQueue from 'p-queue';
import { runKeyOf, type RunRecord } from './record.ts';
import type { PlannedRun } from './run-task.ts';
import type { EvaluationTask } from './suite.ts';

interface AllRunsOptions {
  tasks: readonly EvaluationTask[];
  models: readonly string[];
  runs: number;
  /** Finished runs of an earlier, stopped evaluation. */
  done: readonly RunRecord[];
  concurrency: number;
  signal: AbortSignal;
  /** Makes one run of a task. Resolves to undefined if the run was stopped. */
  run: (planned: PlannedRun) => Promise<RunRecord | undefined>;
  onRecord: (record: RunRecord, progress: EvaluationProgress) => void;
}

export interface EvaluationProgress {
  done: number;
  total: number;
  /** Remaining time, estimated from the mean duration of the finished runs. */
  leftMs: number;
}

/**
 * Makes all runs, or stops when `signal` aborts. Rejects with the first failure outside of a task, after the
 * current runs have ended.
 */
export async function runAll(options: AllRunsOptions): Promise<void> {
  const recordedKeys = new Set(options.done.map(runKeyOf));
  const plannedRuns = planRuns(options);
  const openRuns = plannedRuns.filter(
    ({ task, run, model }) => !recordedKeys.has(runKeyOf({ task: task.id, run, model })),
  );
  const queue = new PQueue({ concurrency: options.concurrency });
  const startMs = performance.now();
  let finishedCount = 0;
  let failure: { error: unknown } | undefined;
  for (const openRun of openRuns) {
    void queue.add(async () => {
      if (options.signal.aborted || failure) return;
      try {
        const record = await options.run(openRun);
        if (!record) return;
        finishedCount += 1;
        const leftMs = ((performance.now() - startMs) / finishedCount) * (openRuns.length - finishedCount);
        const done = plannedRuns.length - openRuns.length + finishedCount;
        options.onRecord(record, { done, total: plannedRuns.length, leftMs });
      } catch (error) {
        failure ??= { error };
      }
    });
  }
  await queue.onIdle();
  if (failure) throw failure.error;
}

function planRuns({ tasks, models, runs }: AllRunsOptions): PlannedRun[] {
  const numbers = Array.from({ length: runs }, (_value, index) => index + 1);
  return models.flatMap((model) =>
    numbers.flatMap((run) => tasks.map((task): PlannedRun => ({ task, run, model }))),
  );
}
