/** Checks whether the programs and packages that a task needs are installed. */
import { isOnPath } from '../../workspace/commands/find-executable.ts';
import type { EvaluationTask } from './suite.ts';
import { describeMissingPackage, findPackageFolder } from './trees.ts';

/** Returns the reason why a task cannot run on this machine, or undefined if it can. */
export function findMissingRequirement({
  needs,
  packages,
}: Pick<EvaluationTask, 'needs' | 'packages'>): string | undefined {
  const program = needs.find((name) => !isOnPath(name));
  if (program !== undefined) return `${program} is not installed`;
  const missing = packages.find((name) => findPackageFolder(name) === undefined);
  return missing === undefined ? undefined : describeMissingPackage(missing);
}
