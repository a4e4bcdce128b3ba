/**
 * Which files an answer may change: tests, and scripts that do nothing but check, stay as they are unless the task is
 * about tests. Pure.
 */
import { isCheckScript, isTest, wantsTests } from '../../brief/left-out.ts';
import type { Task } from '../../protocol/task.ts';

export function changeableBy({
  description,
  verification_steps,
}: Pick<Task, 'description' | 'verification_steps'>): (path: string) => boolean {
  if (wantsTests(description)) return () => true;
  const commands = verification_steps.map(({ target }) => target);
  return (path) => !isTest(path) && !isCheckScript(path, commands);
}
