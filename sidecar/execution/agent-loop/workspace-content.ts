/** What the stall guard compares from round to round. */
import type { TaskRun } from '../task/task-run.ts';

/**
 * Differs exactly when the workspace's content does; undefined where nothing is to be changed. The base belongs to it: a
 * workspace that was opened anew after a crash may begin from another.
 */
export function fingerprintOf({ limits, workspace }: TaskRun): (() => Promise<string>) | undefined {
  if (limits.readOnly) return undefined;
  return async () => `${workspace.baseCommit} ${await workspace.fingerprint()}`;
}
