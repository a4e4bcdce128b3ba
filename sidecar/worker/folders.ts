/** The folders of a worker, by the XDG rules. */
import { createHash } from 'node:crypto';
import { join, resolve, sep } from 'node:path';
import type { Config } from '../base/config/schema.ts';
import { findHomeFolder, findProgramFolder } from '../base/system/home-folder.ts';

export interface WorkerFolders {
  /** Folder of the tasks, outbox, ledger and lock; used by one worker at a time. */
  stateDir: string;
  /**
   * Folder of this worker's worktrees. Its path has no hidden folder, because many programs of a project ignore such
   * paths.
   */
  worktreesDir: string;
  /** Folder of bare repositories, shared by all workers of this user. */
  cacheDir: string;
  sessionsDir: string;
  /** Marks the processes and scratch folders of this worker's tasks; each state folder has its own mark. */
  processMark: string;
}

/** Name of the folder of worktrees in the user's home. */
const WORKTREES_FOLDER = 'sidecar-tasks';

/** Returns whether a path leads through a hidden folder. File servers, watchers and test runners ignore such paths. */
const hasDotFolder = (path: string): boolean => path.split(sep).some((name) => name.startsWith('.'));

export function resolveWorkerFolders(
  { stateDir, dataDir }: Pick<Config['worker'], 'stateDir' | 'dataDir'>,
  env: NodeJS.ProcessEnv = process.env,
): WorkerFolders {
  const state = resolve(stateDir ?? findProgramFolder('STATE', env));
  const data = resolve(dataDir ?? findProgramFolder('DATA', env));
  const mark = createHash('sha256').update(state).digest('hex').slice(0, 12);
  return {
    stateDir: state,
    worktreesDir: hasDotFolder(state)
      ? join(findHomeFolder(), WORKTREES_FOLDER, mark.slice(0, 6))
      : join(state, 'worktrees'),
    cacheDir: join(data, 'repositories'),
    sessionsDir: join(data, 'sessions'),
    processMark: `${mark}-`,
  };
}
