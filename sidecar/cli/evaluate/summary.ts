/** Computes the figures of an evaluation from its records: per model and per task. Pure. */
import * as z from 'zod';
import { recordSchema, type RunRecord } from './record.ts';
import { comparePaired, estimate, mean, sum, type Comparison, type Estimate } from './statistics.ts';

/** Settings of an evaluation, stored with its records. */
export const settingsSchema = z.object({
  suite: z.string(),
  models: z.array(z.string()),
  runs: z.number().int().positive(),
  /** Globs of the tasks to run; all by default. */
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
  return groupBy(records, ({ model }) => model).map(([model, own]) => summariseModel(model, own));
}

function summariseModel(model: string, records: readonly RunRecord[]) {
  const byTask = groupBy(records, ({ task }) => task);
  const estimateOf = (value: (record: RunRecord) => number): Estimate =>
    estimate(byTask.map(([, own]) => own.map(value)));
  const shareOf = (holds: (record: RunRecord) => boolean): Estimate =>
    estimateOf((record) => Number(holds(record)));
  const solvedCount = records.filter(({ solved }) => solved).length;
  const calls = sum(records.map((record) => record.calls));
  return {
    model,
    tasks: byTask.length,
    records: records.length,
    // Shares of the runs.
    solved: shareOf(({ solved }) => solved),
    falseSuccess: shareOf(({ falseSuccess }) => falseSuccess),
    partial: shareOf(({ claimed }) => claimed === 'partial'),
    changed: shareOf(({ changed }) => changed),
    // Means of a run.
    seconds: estimateOf(({ seconds }) => seconds),
    tokensIn: estimateOf(({ tokensIn }) => tokensIn),
    tokensOut: estimateOf(({ tokensOut }) => tokensOut),
    calls: estimateOf((record) => record.calls),
    /** Share of all answers. */
    malformedShare: calls === 0 ? 0 : sum(records.map(({ malformed }) => malformed)) / calls,
    // Total cost divided by the number of solved runs.
    ...(solvedCount > 0 && {
      secondsPerSolved: sum(records.map(({ seconds }) => seconds)) / solvedCount,
      tokensPerSolved: sum(records.map(({ tokensIn, tokensOut }) => tokensIn + tokensOut)) / solvedCount,
    }),
    endings: endingsOf(records),
    /** Share solved in each run, in order. */
    solvedByRun: groupBy(records, ({ run }) => run)
      .sort(([a], [b]) => a - b)
      .map(([, own]) => mean(own.map(({ solved }) => Number(solved)))),
    perTask: byTask.map(([task, own]) => summariseTask(task, own)).sort((a, b) => (a.task < b.task ? -1 : 1)),
  };
}

function summariseTask(task: string, records: readonly RunRecord[]) {
  const count = (holds: (record: RunRecord) => boolean): number => records.filter(holds).length;
  const average = (value: (record: RunRecord) => number): number => mean(records.map(value));
  const [first] = records;
  return {
    task,
    kind: first?.kind ?? 'fix',
    language: first?.language ?? 'javascript',
    runs: records.length,
    solved: count(({ solved }) => solved),
    falseSuccesses: count(({ falseSuccess }) => falseSuccess),
    partial: count(({ claimed }) => claimed === 'partial'),
    // Means over the runs.
    seconds: average(({ seconds }) => seconds),
    tokensIn: average(({ tokensIn }) => tokensIn),
    tokensOut: average(({ tokensOut }) => tokensOut),
    calls: average(({ calls }) => calls),
    malformed: average(({ malformed }) => malformed),
    endings: endingsOf(records),
    /** Reason of the first failed run. */
    why: records.find(({ solved }) => !solved)?.why ?? '',
  };
}

function endingsOf(records: readonly RunRecord[]): Record<string, number> {
  const counted = groupBy(records, ({ termination }) => termination || 'unknown');
  return Object.fromEntries(counted.map(([ending, own]) => [ending, own.length]));
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

export type ModelComparison = ReturnType<typeof compare>[number];

/**
 * Pairs each model with the same model of an earlier evaluation. If each evaluation has only one model, these
 * two are paired.
 */
export function compare(now: readonly RunRecord[], before: readonly RunRecord[]) {
  const models = groupBy(now, ({ model }) => model);
  const earlier = groupBy(before, ({ model }) => model);
  return models.flatMap(([model, own]) => {
    const same = earlier.find(([name]) => name === model);
    const partner = same ?? (models.length === 1 && earlier.length === 1 ? earlier[0] : undefined);
    if (!partner) return [];
    const comparePairs = (value: (record: RunRecord) => number): Comparison => pairUp(own, partner[1], value);
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

function pairUp(
  now: readonly RunRecord[],
  before: readonly RunRecord[],
  value: (record: RunRecord) => number,
): Comparison {
  const earlier = new Map(groupBy(before, ({ task }) => task));
  const pairs = groupBy(now, ({ task }) => task).flatMap(([task, own]) => {
    const other = earlier.get(task);
    return other ? [[mean(own.map(value)), mean(other.map(value))] as const] : [];
  });
  return comparePaired(pairs);
}
