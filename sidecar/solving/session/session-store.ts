/**
 * Lists the sessions, and removes sessions over limits of age, number and size. Only folders with the name of a session are read or
 * removed.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../base/system/remove-folder.ts';
import { errorCode } from '../../base/values/errors.ts';
import { readInfo, sessionInfoSchema, type SessionInfo } from './session-info.ts';

const SESSION_NAME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?:-\d+)?$/;

/** Returns all sessions, newest first; none if the folder is missing. A session without a valid `session.json` has the status `unknown`. */
export async function listSessions(sessionsDir: string): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for (const id of (await listSessionIds(sessionsDir)).toReversed()) {
    const info = await readInfo(join(sessionsDir, id));
    infos.push(info ? { ...info, id } : createUnknownInfo(id));
  }
  return infos;
}

export interface SessionRetention {
  maxAgeMs: number;
  maxCount: number;
  maxBytes: number;
  nowMs: number;
  /** Ids of sessions that a task still writes. */
  active?: ReadonlySet<string>;
}

/**
 * Removes sessions that are too old or too many, and the oldest sessions until the rest fits into `maxBytes`. Returns the removed ids.
 * Rejects with the first failure, after all other removals.
 */
export async function pruneSessions(sessionsDir: string, retention: SessionRetention): Promise<string[]> {
  const { maxAgeMs, maxCount, maxBytes, nowMs, active = new Set() } = retention;
  const removed: string[] = [];
  const failures: unknown[] = [];
  let bytes = 0;
  let count = 0;
  let isFull = false;
  // Goes from new to old: from the first session over a limit on, all older ones are removed.
  for (const id of (await listSessionIds(sessionsDir)).toReversed()) {
    const size = await measureSize(join(sessionsDir, id));
    const isTooOld = nowMs - startOf(id) > maxAgeMs;
    isFull ||= bytes + size > maxBytes || count >= maxCount;
    if (!active.has(id) && (isTooOld || isFull)) {
      await removeFolder(join(sessionsDir, id)).then(
        () => removed.push(id),
        (error: unknown) => failures.push(error),
      );
    } else {
      bytes += size;
      count += 1;
    }
  }
  if (failures.length > 0) throw failures[0];
  return removed;
}

const startOf = (id: string): number => Date.parse(SESSION_NAME.exec(id)?.[1] ?? '');
const suffixOf = (id: string): number => Number(/Z-(\d+)$/.exec(id)?.[1] ?? 1);

/** Returns the ids of all sessions, oldest first. */
async function listSessionIds(sessionsDir: string): Promise<string[]> {
  const entries = await readdir(sessionsDir, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory() && SESSION_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort((a, b) => startOf(a) - startOf(b) || suffixOf(a) - suffixOf(b));
}

/** Returns the size of a session's files in bytes; 0 if another process removed the folder. The folder has no subfolders. */
async function measureSize(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    bytes += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}

const createUnknownInfo = (id: string): SessionInfo =>
  sessionInfoSchema.parse({ id, task_id: '', start: SESSION_NAME.exec(id)?.[1] ?? id });
