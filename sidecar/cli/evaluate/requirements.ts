/** Checks whether the programs and packages that a task needs are installed. */
import { isOnPath } from '../../workspace/commands/executable.ts';
import type { EvaluationTask } from './suite.ts';
import { missingPackage, packageFolder } from './trees.ts';

/** Returns the reason why a task cannot run on this machine, or undefined if it can. */
export function missingRequirement({
  needs,
  packages,
}: Pick<EvaluationTask, 'needs' | 'packages'>): string | undefined {
  const program = needs.find((name) => !isOnPath(name));
  if (program !== undefined) return `${program} is not installed`;
  const missing = packages.find((name) => packageFolder(name) === undefined);
  return missing === undefined ? undefined : missingPackage(missing);
}
