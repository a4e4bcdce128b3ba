/**
 * Opens the session of one run, once per task. It continues after a crash, since the task's journal contains the name of its folder. If a
 * session cannot be opened, this is logged and the task runs without one.
 */
import type { Logger, TaskJournal } from '../../base/ports.ts';
import { removeCredentials } from '../../base/addresses/without-credentials.ts';
import type { Task } from '../../base/protocol/task.ts';
import { Session, type SessionOptions } from './session.ts';
import type { RunSession } from '../run-ports.ts';

/** Stage under which the journal contains the id of the session. */
const STAGE = 'session';

export interface RunSessionOptions extends Omit<SessionOptions, 'taskId' | 'resume'> {
  task: Task;
  /** Stores the name of the folder, so that a resumed task finds it. */
  journal: TaskJournal;
  logger: Logger;
}

/** Opens the session of a task; returns undefined if that fails. Rejects only if the journal cannot be written (`StorageError`). */
export async function openRunSession(options: RunSessionOptions): Promise<RunSession | undefined> {
  const { task, journal, logger } = options;
  const earlierId = journal.read(STAGE).at(-1)?.body;
  const opened = await Session.open({
    ...options,
    taskId: task.task_id,
    task: { ...task, ...(task.repo && { repo: removeCredentials(task.repo) }) },
    resume: typeof earlierId === 'string' ? earlierId : undefined,
  });
  if (!opened.ok) {
    logger.warn({ task_id: task.task_id, code: opened.failure.code }, opened.failure.message);
    return undefined;
  }
  const session = opened.value;
  if (session.id !== earlierId) {
    journal.append([{ kind: 'input', stage: STAGE, round: 0, call: 0, body: session.id }]);
  }
  return session;
}
