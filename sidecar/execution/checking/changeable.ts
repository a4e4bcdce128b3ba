/**
 * Which files an answer may change: tests, and scripts that do nothing but check, stay as they are unless the task is
 * about tests. Pure.
 */
import { isCheckScript, isTest } from '../../brief/left-out.ts';
import type { Task } from '../../protocol/task.ts';

export function changeableBy({
  description,
  verification_steps,
}: Pick<Task, 'description' | 'verification_steps'>): (path: string) => boolean {
  if (WANTS_TESTS.test(description)) return () => true;
  const commands = verification_steps.map(({ target }) => target);
  return (path) => !isTest(path) && !isCheckScript(path, commands);
}

/** A task for which tests are to be written, not only made to pass. */
const WANTS_TESTS =
  /\b(?:writ|add|extend|updat|creat|improv|renam|rewrit|cover)\w*\b[^.\n]{0,40}\b(?:tests?|specs?|fixtures?)\b/i;
