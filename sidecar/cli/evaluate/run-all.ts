/**
 * Runs an evaluation: model by model, so that the server loads each model once, and run by run, so that a
 * stopped evaluation covers every task. Recorded runs are not repeated.
 */
import PQueue from 'p-queue';
import { runKey, type RunRecord } from './record.ts';
import type { PlannedRun } from './run-task.ts';
import type { EvaluationTask } from './suite.ts';

interface AllRunsOptions {
  tasks: readonly EvaluationTask[];
  models: readonly string[];
  runs: number;
  /** Records of an earlier, stopped evaluation. */
  done: readonly RunRecord[];
  concurrency: number;
  signal: AbortSignal;
  /** Makes one run. Resolves to undefined if the run was stopped. */
  run: (planned: PlannedRun) => Promise<RunRecord | undefined>;
  onRecord: (record: RunRecord, progress: Progress) => void;
}

export interface Progress {
  done: number;
  total: number;
  /** Estimate from the mean duration of the finished runs. */
  leftMs: number;
}

/**
 * Makes all runs, or stops when `signal` aborts. Rejects with the first failure outside of a task, after the
 * current runs have ended.
 */
export async function runAll(options: AllRunsOptions): Promise<void> {
  const recorded = new Set(options.done.map(runKey));
  const planned = plan(options);
  const open = planned.filter(({ task, run, model }) => !recorded.has(runKey({ task: task.id, run, model })));
  const queue = new PQueue({ concurrency: options.concurrency });
  const startMs = performance.now();
  let finished = 0;
  let failure: { error: unknown } | undefined;
  for (const one of open) {
    void queue.add(async () => {
      if (options.signal.aborted || failure) return;
      try {
        const record = await options.run(one);
        if (!record) return;
        finished += 1;
        const leftMs = ((performance.now() - startMs) / finished) * (open.length - finished);
        const done = planned.length - open.length + finished;
        options.onRecord(record, { done, total: planned.length, leftMs });
      } catch (error) {
        failure ??= { error };
      }
    });
  }
  await queue.onIdle();
  if (failure) throw failure.error;
}

function plan({ tasks, models, runs }: AllRunsOptions): PlannedRun[] {
  const numbers = Array.from({ length: runs }, (_value, index) => index + 1);
  return models.flatMap((model) =>
    numbers.flatMap((run) => tasks.map((task): PlannedRun => ({ task, run, model }))),
  );
}
