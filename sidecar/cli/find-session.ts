/** The session that a person names: by its own id or by its task's. Throws `CommandError`. */
import type { SessionInfo } from '../session/session-info.ts';
import { listSessions } from '../session/session-store.ts';
import { usageError } from './exit-codes.ts';

/** The newest that fits; `last` is the newest of all. */
export async function findSession(sessionsDir: string, named: string): Promise<SessionInfo> {
  const sessions = await listSessions(sessionsDir);
  const found =
    named === 'last' ? sessions[0] : sessions.find((one) => one.id === named || one.task_id === named);
  if (found) return found;
  throw usageError(
    'session_not_found',
    `There is no session or task ${named} in ${sessionsDir}. \`ollama-sidecar sessions\` lists them.`,
  );
}
