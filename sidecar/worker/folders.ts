/** Where a worker keeps what it needs, by the XDG rules (planning.md, Session folder; operations.md, lifecycle). Pure. */
import { join, resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { homeFolder } from '../home-folder.ts';

export interface Folders {
  /** Journal, outbox, ledger, lock: one worker each. */
  stateDir: string;
  /** Worktrees and scratch folders of this worker. */
  worktreesDir: string;
  /** Bare repositories, shared by all workers of this user. */
  cacheDir: string;
  sessionsDir: string;
}

export function workerFolders(
  { stateDir, dataDir }: Pick<Config['worker'], 'stateDir' | 'dataDir'>,
  env: NodeJS.ProcessEnv = process.env,
): Folders {
  const state = resolve(
    stateDir ?? join(env.XDG_STATE_HOME || join(homeFolder(), '.local/state'), 'ollama-sidecar'),
  );
  const data = resolve(
    dataDir ?? join(env.XDG_DATA_HOME || join(homeFolder(), '.local/share'), 'ollama-sidecar'),
  );
  return {
    stateDir: state,
    worktreesDir: join(state, 'worktrees'),
    cacheDir: join(data, 'repositories'),
    sessionsDir: join(data, 'sessions'),
  };
}
