/** Decides which files a task may change, and which files it names. Pure. */
import { isCheckScript } from '../../brief/excluded-files.ts';
import { isTest } from '../../brief/runners.ts';
import { compileLenientGlob, type PathMatcher } from '../../../workspace/files/glob-pattern.ts';
import type { Task } from '../../../base/protocol/task.ts';

/**
 * Returns a predicate for paths that the task may change although its checks use them. Only the field `may_change_checks` decides, not the
 * description.
 */
export function createPermissionMatcher({
  may_change_checks: allowed,
}: Pick<Task, 'may_change_checks'>): PathMatcher {
  if (typeof allowed === 'boolean') return () => allowed;
  const globs = allowed.map(compileLenientGlob);
  return (path) => globs.some((matches) => matches(path));
}

/** Returns a predicate for paths that the task may change. Tests and scripts that only check need a permission. */
export function createChangeableMatcher(
  task: Pick<Task, 'may_change_checks' | 'verification_steps'>,
): PathMatcher {
  const isPermitted = createPermissionMatcher(task);
  const commands = task.verification_steps.map(({ target }) => target);
  return (path) => isPermitted(path) || (!isTest(path) && !isCheckScript(path, commands));
}

/** Returns a predicate for paths that the description of a task contains. */
export const createNamedMatcher =
  ({ description }: Pick<Task, 'description'>): PathMatcher =>
  (path) =>
    description.includes(path);
