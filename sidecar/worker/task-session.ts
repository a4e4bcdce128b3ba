/**
 * The session of one task: opened once and continued after a crash, since the task's journal contains its id. If a session cannot be
 * opened, this is logged and the task runs without a session.
 */
import type { Logger } from '../base/ports.ts';
import { removeCredentials } from '../base/addresses/credentials.ts';
import type { RunSession } from '../solving/run-ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { Session, type SessionOptions } from '../solving/session/session.ts';
import type { TaskControl } from '../solving/task/task-control.ts';

const SESSION_FACT = { kind: 'result', stage: 'session', round: 1 } as const;

type SessionSettings = Pick<SessionOptions, 'sessionsDir' | 'settings' | 'clock' | 'mask'> & {
  logger: Logger;
};

/** Opens the task's session; undefined if that fails. Rejects only if the journal cannot be written (`StorageError`). */
export async function openTaskSession(
  settings: SessionSettings,
  task: Task,
  { journal }: Pick<TaskControl, 'journal'>,
): Promise<RunSession | undefined> {
  const recordedId = journal.recall(SESSION_FACT);
  const opened = await Session.open({
    ...settings,
    taskId: task.task_id,
    task: { ...task, ...(task.repo && { repo: removeCredentials(task.repo) }) },
    input: () => journal.listReplayInput(),
    resume: typeof recordedId === 'string' ? recordedId : undefined,
  });
  if (!opened.ok) {
    settings.logger.warn({ task_id: task.task_id, code: opened.failure.code }, opened.failure.message);
    return undefined;
  }
  const session = opened.value;
  if (session.id !== recordedId) journal.recordSoon({ ...SESSION_FACT, body: session.id });
  return session;
}
