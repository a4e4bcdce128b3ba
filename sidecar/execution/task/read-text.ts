import type { TaskRun } from './task-run.ts';

/** The text of a file of the task's tree; undefined where there is none that can be read. */
export const readText = ({ env }: TaskRun, path: string): Promise<string | undefined> =>
  env.readFile(path).then(
    ({ text }) => text,
    () => undefined,
  );
