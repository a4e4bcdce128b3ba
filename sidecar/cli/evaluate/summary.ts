/** Computes the figures of an evaluation from its records: per model and per task. Pure. */
import * as z from 'zod';
import { recordSchema, type RunRecord } from './record.ts';
import { comparePaired, estimate, meanOf, sumOf, type Comparison, type Estimate } from './statistics.ts';

/** Settings of an evaluation, stored with its records. */
export const settingsSchema = z.object({
  suite: z.string(),
  models: z.array(z.string()),
  runs: z.number().int().positive(),
  /** Globs of the tasks to run; undefined for all tasks. */
  only: z.array(z.string()).optional(),
  tier: z.enum(['small', 'full']).optional(),
  strategy: z.string().optional(),
  /** Settings given with `--set`, by key. */
  set: z.record(z.string(), z.string()).default({}),
  timeoutSeconds: z.number(),
  program: z.string(),
  startedAt: z.string(),
});
export type EvaluationSettings = z.output<typeof settingsSchema>;

export type ModelSummary = ReturnType<typeof summariseModel>;

export function summarise(records: readonly RunRecord[]): ModelSummary[] {
  return groupBy(records, ({ model }) => model).map(([model, modelRecords]) =>
    summariseModel(model, modelRecords),
  );
}

function summariseModel(model: string, records: readonly RunRecord[]) {
  const byTask = groupBy(records, ({ task }) => task);
  const estimateOf = (value: (record: RunRecord) => number): Estimate =>
    estimate(byTask.map(([, taskRecords]) => taskRecords.map(value)));
  const shareOf = (predicate: (record: RunRecord) => boolean): Estimate =>
    estimateOf((record) => Number(predicate(record)));
  const solvedCount = records.filter(({ solved }) => solved).length;
  const calls = sumOf(records.map((record) => record.calls));
  return {
    model,
    tasks: byTask.length,
    records: records.length,
    // These figures are shares of the runs.
    solved: shareOf(({ solved }) => solved),
    falseSuccess: shareOf(({ falseSuccess }) => falseSuccess),
    partial: shareOf(({ claimed }) => claimed === 'partial'),
    changed: shareOf(({ changed }) => changed),
    // These figures are means per run.
    seconds: estimateOf(({ seconds }) => seconds),
    tokensIn: estimateOf(({ tokensIn }) => tokensIn),
    tokensOut: estimateOf(({ tokensOut }) => tokensOut),
    calls: estimateOf((record) => record.calls),
    /** Share of malformed answers among all answers. */
    malformedShare: calls === 0 ? 0 : sumOf(records.map(({ malformed }) => malformed)) / calls,
    // Totals of all runs, unsolved ones included, divided by the number of solved runs.
    ...(solvedCount > 0 && {
      secondsPerSolved: sumOf(records.map(({ seconds }) => seconds)) / solvedCount,
      tokensPerSolved: sumOf(records.map(({ tokensIn, tokensOut }) => tokensIn + tokensOut)) / solvedCount,
    }),
    endings: endingsOf(records),
    /** Share of solved tasks in each run, in order of the runs. */
    solvedByRun: groupBy(records, ({ run }) => run)
      .sort(([a], [b]) => a - b)
      .map(([, runRecords]) => meanOf(runRecords.map(({ solved }) => Number(solved)))),
    perTask: byTask
      .map(([task, taskRecords]) => summariseTask(task, taskRecords))
      .sort((a, b) => (a.task < b.task ? -1 : 1)),
  };
}

function summariseTask(task: string, records: readonly RunRecord[]) {
  const count = (predicate: (record: RunRecord) => boolean): number => records.filter(predicate).length;
  const average = (value: (record: RunRecord) => number): number => meanOf(records.map(value));
  const [first] = records;
  return {
    task,
    kind: first?.kind ?? 'fix',
    language: first?.language ?? 'javascript',
    runs: records.length,
    solved: count(({ solved }) => solved),
    falseSuccesses: count(({ falseSuccess }) => falseSuccess),
    partial: count(({ claimed }) => claimed === 'partial'),
    // These figures are means over the runs of the task.
    seconds: average(({ seconds }) => seconds),
    tokensIn: average(({ tokensIn }) => tokensIn),
    tokensOut: average(({ tokensOut }) => tokensOut),
    calls: average(({ calls }) => calls),
    malformed: average(({ malformed }) => malformed),
    endings: endingsOf(records),
    /** Reason for the first unsolved run; empty if all runs are solved. */
    why: records.find(({ solved }) => !solved)?.why ?? '',
  };
}

function endingsOf(records: readonly RunRecord[]): Record<string, number> {
  const groups = groupBy(records, ({ termination }) => termination || 'unknown');
  return Object.fromEntries(groups.map(([ending, group]) => [ending, group.length]));
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups];
}

/** Content of `result.json`. */
export const evaluationFileSchema = z.object({
  settings: settingsSchema,
  records: z.array(recordSchema),
});
export type EvaluationFile = z.output<typeof evaluationFileSchema>;

export type ModelComparison = ReturnType<typeof compareEvaluations>[number];

/**
 * Compares each model with the same model of an earlier evaluation. If each evaluation has only one model, compares
 * these two.
 */
export function compareEvaluations(
  currentRecords: readonly RunRecord[],
  earlierRecords: readonly RunRecord[],
) {
  const models = groupBy(currentRecords, ({ model }) => model);
  const earlier = groupBy(earlierRecords, ({ model }) => model);
  return models.flatMap(([model, modelRecords]) => {
    const sameModel = earlier.find(([name]) => name === model);
    const partner = sameModel ?? (models.length === 1 && earlier.length === 1 ? earlier[0] : undefined);
    if (!partner) return [];
    const comparePairs = (value: (record: RunRecord) => number): Comparison =>
      compareByTask(modelRecords, partner[1], value);
    return {
      model,
      earlierModel: partner[0],
      solved: comparePairs(({ solved }) => Number(solved)),
      falseSuccess: comparePairs(({ falseSuccess }) => Number(falseSuccess)),
      seconds: comparePairs(({ seconds }) => seconds),
      tokens: comparePairs(({ tokensIn, tokensOut }) => tokensIn + tokensOut),
    };
  });
}

function compareByTask(
  currentRecords: readonly RunRecord[],
  earlierRecords: readonly RunRecord[],
  value: (record: RunRecord) => number,
): Comparison {
  const earlier = new Map(groupBy(earlierRecords, ({ task }) => task));
  const pairs = groupBy(currentRecords, ({ task }) => task).flatMap(([task, taskRecords]) => {
    const earlierTaskRecords = earlier.get(task);
    return earlierTaskRecords
      ? [[meanOf(taskRecords.map(value)), meanOf(earlierTaskRecords.map(value))] as const]
      : [];
  });
  return comparePaired(pairs);
}
