/** Whether someone who takes the branch of a result sees its check pass. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TaskResult } from '../../../sidecar/protocol/result.ts';

/** True for every result that is not verified: nothing is promised of it. */
export function holdsInFreshClone(result: TaskResult, repo: string, folder: string, check: string): boolean {
  if (result.verification_status !== 'verified') return true;
  const clone = join(folder, 'clone');
  const branch = result.changes.branch ?? '';
  execFileSync('git', ['clone', '--quiet', '--branch', branch, repo, clone], { stdio: 'ignore' });
  return spawnSync('sh', ['-c', check], { cwd: clone, stdio: 'ignore' }).status === 0;
}
