/**
 * Chooses the seed of each answer. Tasks with different seeds (`metadata.seed`) get different answers; with the same seed and server they
 * get the same ones, so that runs of one task can be compared. Pure.
 */
import type { TaskRun } from '../task/task-run.ts';

/** Maximum answers of one attempt that need seeds of their own. */
const PER_ATTEMPT = 100;
/** Maximum attempts of one task. */
const PER_TASK = 100;
const MAX_NAMED = 100_000;

type SeededRun = Pick<TaskRun, 'task' | 'attempt'>;

/** Returns the seed of an answer. `number`: position of the answer in the attempt, from 0. */
export const seedOf = ({ task, attempt }: SeededRun, number: number): number =>
  number + PER_ATTEMPT * ((attempt?.number ?? 1) - 1 + PER_TASK * (namedSeed(task) ?? 0));

/** Returns the seed that the task names; undefined if it names no valid one. */
export function namedSeed({ metadata: { seed } }: SeededRun['task']): number | undefined {
  const isUsable = Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= MAX_NAMED;
  return isUsable ? Number(seed) : undefined;
}
