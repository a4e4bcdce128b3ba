/**
 * Computes means with intervals, and tests whether two evaluations differ by more than chance. Uses a seeded
 * bootstrap over the tasks, because the tasks of a suite are a sample.
 */

const RESAMPLE_COUNT = 10_000;
const RANDOM_SEED = 20_251;
/** Minimum number of tasks for a significant difference: with fewer tasks, the resamples are too similar. */
const MIN_TASKS = 6;
/** Lower bound of the 90 % interval, as a quantile. */
const LOW_QUANTILE = 0.05;
/** Upper bound of the 90 % interval, as a quantile. */
const HIGH_QUANTILE = 0.95;

export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

/** Returns the mean with its 90 % interval. Each group has the values of one task. */
export function estimate(groups: readonly (readonly number[])[]): Estimate {
  const nonEmptyGroups = groups.filter((values) => values.length > 0);
  if (nonEmptyGroups.length === 0) return { mean: 0, low: 0, high: 0 };
  const means = nonEmptyGroups.map(meanOf);
  const random = createRandom(RANDOM_SEED);
  return { mean: meanOf(means), ...intervalOf(resample(means, random)) };
}

export interface Comparison {
  /** Number of tasks in both evaluations. */
  tasks: number;
  /** Mean of this evaluation minus the mean of the earlier one, with its 90 % interval. */
  difference: Estimate;
  /** Two-sided p-value: the probability of such a difference by chance alone. */
  p: number;
  /** Whether the difference is significant: its interval excludes 0 and there are enough tasks. */
  isReal: boolean;
}

/**
 * Compares the means of two evaluations by task. Each pair has a task's value in this evaluation and in the earlier
 * one.
 */
export function comparePaired(pairs: readonly (readonly [now: number, before: number])[]): Comparison {
  const differences = pairs.map(([now, before]) => now - before);
  if (differences.length === 0)
    return { tasks: 0, difference: { mean: 0, low: 0, high: 0 }, p: 1, isReal: false };
  const means = resample(differences, createRandom(RANDOM_SEED));
  const bounds = intervalOf(means);
  const notAboveZero = means.filter((value) => value <= 0).length;
  const notBelowZero = means.filter((value) => value >= 0).length;
  return {
    tasks: differences.length,
    difference: { mean: meanOf(differences), ...bounds },
    p: Math.min(1, (2 * Math.min(notAboveZero, notBelowZero)) / means.length),
    isReal: differences.length >= MIN_TASKS && (bounds.low > 0 || bounds.high < 0),
  };
}

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

export const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the sorted means of `RESAMPLES` bootstrap samples, which are drawn with replacement. */
function resample(values: readonly number[], random: () => number): number[] {
  const means = Array.from({ length: RESAMPLE_COUNT }, () => {
    let total = 0;
    for (let drawCount = 0; drawCount < values.length; drawCount += 1)
      total += values[Math.floor(random() * values.length)] ?? 0;
    return total / values.length;
  });
  return means.sort((a, b) => a - b);
}

const intervalOf = (sorted: readonly number[]): { low: number; high: number } => ({
  low: sorted[Math.floor(LOW_QUANTILE * (sorted.length - 1))] ?? 0,
  high: sorted[Math.ceil(HIGH_QUANTILE * (sorted.length - 1))] ?? 0,
});

/** Returns a Mulberry32 generator: reproducible numbers at least 0 and below 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
