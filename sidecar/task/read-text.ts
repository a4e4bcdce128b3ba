import { readTextFile } from '../tools/text-file.ts';
import type { TaskRun } from './task-run.ts';

/** The text of a file of the task's tree; undefined where there is none that can be read. */
export const readText = ({ env }: TaskRun, path: string): Promise<string | undefined> =>
  env.readFile(path).then(
    ({ text }) => text,
    () => undefined,
  );

/** Why a file of the task's tree that exists has no text that can be read; undefined for any other. */
export async function whyUnreadable({ env }: TaskRun, path: string): Promise<string | undefined> {
  const file = await readTextFile(env, path);
  return file.kind === 'unreadable' ? file.reason : undefined;
}
