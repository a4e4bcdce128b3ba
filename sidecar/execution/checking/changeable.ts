/** Which files a task may change, and which ones it names. Pure. */
import { isCheckScript, isTest, wantsTests } from '../../brief/left-out.ts';
import type { Task } from '../../protocol/task.ts';

/** Tests, and scripts that do nothing but check, stay as they are unless the task is about tests. */
export function changeableBy({
  description,
  verification_steps,
}: Pick<Task, 'description' | 'verification_steps'>): (path: string) => boolean {
  if (wantsTests(description)) return () => true;
  const commands = verification_steps.map(({ target }) => target);
  return (path) => !isTest(path) && !isCheckScript(path, commands);
}

/** Whether the words of a task hold a path. */
export const namedBy =
  ({ description }: Pick<Task, 'description'>) =>
  (path: string): boolean =>
    description.includes(path);
