/**
 * Which seed an answer is drawn with. A task that names one (`metadata.seed`) has other answers than the same task with
 * another, and the same ones on the same server: so that runs of one task can be compared. Pure.
 */
import type { TaskRun } from '../task/task-run.ts';

/** Answers of one attempt that need seeds of their own. */
const PER_ATTEMPT = 100;
/** Attempts of one task. */
const PER_TASK = 100;
const MAX_NAMED = 100_000;

type Seeded = Pick<TaskRun, 'task' | 'attempt'>;

/** `number`: which answer of the attempt it is, from 0. */
export const seedOf = ({ task, attempt }: Seeded, number: number): number =>
  number + PER_ATTEMPT * ((attempt?.number ?? 1) - 1 + PER_TASK * (namedSeed(task) ?? 0));

/** The seed that the task names; undefined if it names none that can be used. */
export function namedSeed({ metadata: { seed } }: Seeded['task']): number | undefined {
  const isUsable = Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= MAX_NAMED;
  return isUsable ? Number(seed) : undefined;
}
