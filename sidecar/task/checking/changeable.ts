/** Which files a task may change, and which ones it names. Pure. */
import { isCheckScript } from '../../brief/left-out.ts';
import { isTest } from '../../brief/runners.ts';
import { compileGlob } from '../../files/glob-pattern.ts';
import type { Task } from '../../protocol/task.ts';

/** Whether the task may change a path although its checks run it: by its field, never by its words. */
export function permittedBy({ may_change_checks: allowed }: Pick<Task, 'may_change_checks'>): PathTest {
  if (typeof allowed === 'boolean') return () => allowed;
  const globs = allowed.map(matcherOf);
  return (path) => globs.some((matches) => matches(path));
}

type PathTest = (path: string) => boolean;

/** A pattern that cannot be read permits nothing. */
function matcherOf(glob: string): PathTest {
  try {
    return compileGlob(glob);
  } catch {
    return () => false;
  }
}

/** Tests, and scripts that do nothing but check, stay as they are where the task may not change them. */
export function changeableBy(task: Pick<Task, 'may_change_checks' | 'verification_steps'>): PathTest {
  const isPermitted = permittedBy(task);
  const commands = task.verification_steps.map(({ target }) => target);
  return (path) => isPermitted(path) || (!isTest(path) && !isCheckScript(path, commands));
}

/** Whether the words of a task hold a path. */
export const namedBy =
  ({ description }: Pick<Task, 'description'>): PathTest =>
  (path) =>
    description.includes(path);
