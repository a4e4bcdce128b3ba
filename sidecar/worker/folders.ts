/** Where a worker keeps what it needs, by the XDG rules. Pure. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { ownFolder } from '../system/home-folder.ts';

export interface Folders {
  /** Journal, outbox, ledger, lock: one worker each. */
  stateDir: string;
  /** Worktrees and scratch folders of this worker. */
  worktreesDir: string;
  /** Bare repositories, shared by all workers of this user. */
  cacheDir: string;
  sessionsDir: string;
  /** Names the processes and scratch folders of this worker's tasks: one mark for each state folder. */
  mark: string;
}

export function workerFolders(
  { stateDir, dataDir }: Pick<Config['worker'], 'stateDir' | 'dataDir'>,
  env: NodeJS.ProcessEnv = process.env,
): Folders {
  const state = resolve(stateDir ?? ownFolder('STATE', env));
  const data = resolve(dataDir ?? ownFolder('DATA', env));
  return {
    stateDir: state,
    worktreesDir: join(state, 'worktrees'),
    cacheDir: join(data, 'repositories'),
    sessionsDir: join(data, 'sessions'),
    mark: `${createHash('sha256').update(state).digest('hex').slice(0, 12)}-`,
  };
}
