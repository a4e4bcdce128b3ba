/**
 * Builds the names of branches and folders from a task id, which a hub chooses freely. If the id is safe in a ref and a path, the name is
 * the id. Otherwise it consists of the id's safe characters and a hash, so that two ids never have the same name.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

const MAX_NAME_CHARS = 100;
const SAFE_NAME = /^(?!.*\.\.)(?!.*(?:\.lock|-checks)$)[A-Za-z0-9_][A-Za-z0-9._-]*(?<!\.)$/;

/** Returns the first hex digits of a text's SHA-256, enough to distinguish names. */
export const computeShortHash = (text: string, digits = 10): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** Returns the name of a task for one component of refs and paths. An id has the same name on every worker. */
export function toTaskName(taskId: string): string {
  if (taskId.length <= MAX_NAME_CHARS && SAFE_NAME.test(taskId)) return taskId;
  const readable = taskId
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_NAME_CHARS - 20);
  return `${readable || 'task'}-${computeShortHash(taskId)}`;
}

/** Name of the folder, beside a worker's workspaces, that contains the worker's records of them. No task's folder can have this name. */
export const TRACKING_FOLDER_NAME = '.tracking';

/** Returns the folder for the worker's record of a task's workspace, which no task writes to. */
export const trackingFolderOf = (worktreesDir: string, taskId: string): string =>
  join(worktreesDir, TRACKING_FOLDER_NAME, toTaskName(taskId));

/** Returns the folder, beside a task's own, in which the task's checks run. No task's folder can have this name. */
export const checksDirOf = (dir: string): string => `${dir}-checks`;

/** Returns the name of the task that a folder beside the workspaces belongs to. */
export const taskNameOfFolder = (name: string): string => name.replace(/-checks$/, '');

/** Returns the branch that a task's work is committed on. */
export const taskBranchOf = (taskId: string): string => `sidecar/${toTaskName(taskId)}`;

/** Returns whether a ref, short or whole, names the branch of a task. */
export const isTaskBranch = (ref: string): boolean =>
  /^(?:refs\/(?:heads|remotes\/[^/]+)\/)?sidecar\//.test(ref);
