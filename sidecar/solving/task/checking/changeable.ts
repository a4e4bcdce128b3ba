/** Which files a task may change, and which ones it names. Pure. */
import { isCheckScript } from '../../brief/left-out.ts';
import { isTest } from '../../brief/runners.ts';
import { matcherOf, type PathMatcher } from '../../../workspace/files/glob-pattern.ts';
import type { Task } from '../../../base/protocol/task.ts';

/** Returns whether the task may change a path although its checks run it: by its field, never by its words. */
export function permittedBy({ may_change_checks: allowed }: Pick<Task, 'may_change_checks'>): PathMatcher {
  if (typeof allowed === 'boolean') return () => allowed;
  const globs = allowed.map(matcherOf);
  return (path) => globs.some((matches) => matches(path));
}

/** Returns whether the task may change a path: tests and scripts that only check stay unless it has permission. */
export function changeableBy(task: Pick<Task, 'may_change_checks' | 'verification_steps'>): PathMatcher {
  const isPermitted = permittedBy(task);
  const commands = task.verification_steps.map(({ target }) => target);
  return (path) => isPermitted(path) || (!isTest(path) && !isCheckScript(path, commands));
}

/** Returns whether the words of a task hold a path. */
export const namedBy =
  ({ description }: Pick<Task, 'description'>): PathMatcher =>
  (path) =>
    description.includes(path);
