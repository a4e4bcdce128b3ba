/**
 * Chooses the seed of each answer. Tasks with different seeds (`metadata.seed`) get different answers; with the same seed and server they
 * get the same ones, so that runs of one task can be compared. Pure.
 */
import type { TaskRun } from '../task/task-run.ts';

/** Maximum number of answers in one attempt. */
const MAX_ANSWERS_PER_ATTEMPT = 100;
/** Maximum number of attempts of one task. */
const MAX_ATTEMPTS_PER_TASK = 100;
const MAX_REQUESTED_SEED = 100_000;

type SeededRun = Pick<TaskRun, 'task' | 'attempt'>;

/** Returns the seed of an answer. `number`: position of the answer in the attempt, from 0. */
export const seedOf = ({ task, attempt }: SeededRun, number: number): number =>
  number +
  MAX_ANSWERS_PER_ATTEMPT *
    ((attempt?.number ?? 1) - 1 + MAX_ATTEMPTS_PER_TASK * (readRequestedSeed(task) ?? 0));

/** Returns the seed in the task's metadata; undefined if there is no valid one. */
export function readRequestedSeed({ metadata: { seed } }: SeededRun['task']): number | undefined {
  const isUsable = Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= MAX_REQUESTED_SEED;
  return isUsable ? Number(seed) : undefined;
}
