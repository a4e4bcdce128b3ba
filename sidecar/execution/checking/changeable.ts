/** Which files a task may change, and which ones it names. Pure. */
import { isCheckScript, isTest } from '../../brief/left-out.ts';
import { isSubject, permissionOf } from '../../brief/permission.ts';
import type { Task } from '../../protocol/task.ts';

/** Tests, and scripts that do nothing but check, stay as they are unless the task is about tests. */
export function changeableBy(
  task: Pick<Task, 'description' | 'metadata' | 'verification_steps'>,
): (path: string) => boolean {
  const permission = permissionOf(task);
  if (permission.tests) return () => true;
  const commands = task.verification_steps.map(({ target }) => target);
  return (path) => isSubject(permission, path) || (!isTest(path) && !isCheckScript(path, commands));
}

/** Whether the words of a task hold a path. */
export const namedBy =
  ({ description }: Pick<Task, 'description'>) =>
  (path: string): boolean =>
    description.includes(path);
