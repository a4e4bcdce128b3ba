/**
 * Defines final failures of a task: the same task on the same kind of worker would fail the same way, so a hub ends it at once instead of
 * trying it again. The code stands at the beginning of `task_failed.error`, or after the termination reason. Pure.
 */

/** Codes of final failures, grouped by their cause. docs/ERRORS.md explains each of them. */
export const finalFailureCodes = [
  // Cause: the task itself.
  'invalid_task',
  'unsupported_target_type',
  'task_tools_invalid',
  'task_budget_exhausted',
  // Cause: the task's repository or base commit.
  'workspace_repo_missing',
  'workspace_repo_unsupported',
  'workspace_repo_not_allowed',
  'workspace_repo_owner',
  'workspace_branch_missing',
  'workspace_ref_missing',
  'workspace_patch_failed',
  'workspace_folder_missing',
  // Cause: the worker's machine, on which something must be installed first.
  'git_missing',
  'model_not_found',
  'sandbox_unavailable',
  'SANDBOX_UNAVAILABLE',
] as const;
const finalCodes: ReadonlySet<string> = new Set(finalFailureCodes);

/** Final failures that depend on the worker: another worker may have the model, the repository or the permission. */
const workerSpecificCodes: ReadonlySet<string> = new Set([
  'unsupported_target_type',
  'task_tools_invalid',
  'workspace_repo_missing',
  'workspace_repo_not_allowed',
  'workspace_repo_owner',
  'workspace_repo_incomplete',
  'workspace_branch_missing',
  'workspace_ref_missing',
  'workspace_fetch_failed',
  'workspace_folder_missing',
  'workspace_disk_full',
  'git_missing',
  'model_away',
  'model_unreachable',
  'model_not_found',
  'model_out_of_memory',
  'model_load_failed',
  'sandbox_unavailable',
]);

/** Returns the stable code at the beginning of a failed task's error; undefined if it begins with no code. */
export function failureCodeOf(error: string): string | undefined {
  return /^(?:[a-z_]+ after \d+ iterations?: )?([A-Za-z_]+):/.exec(error)?.[1];
}

/** Returns whether the unchanged task may succeed on another worker. */
export function mayWorkElsewhere(error: string): boolean {
  return workerSpecificCodes.has(failureCodeOf(error) ?? '');
}

/** Returns whether another attempt at the unchanged task on the same kind of worker would fail the same way. */
export function isFinalFailure(error: string): boolean {
  return finalCodes.has(failureCodeOf(error) ?? '');
}
