/** What a task needs of the machine besides Node and git. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { EvaluationTask } from './suite.ts';
import { missingPackage, packageFolder } from './trees.ts';

/** Why a task cannot run here; undefined when it can. */
export function whyNotHere({
  needs,
  packages,
}: Pick<EvaluationTask, 'needs' | 'packages'>): string | undefined {
  const program = needs.find((name) => !isInstalled(name));
  if (program !== undefined) return `${program} is not installed`;
  const missing = packages.find((name) => packageFolder(name) === undefined);
  return missing === undefined ? undefined : missingPackage(missing);
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
