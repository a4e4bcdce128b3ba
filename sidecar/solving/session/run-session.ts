/**
 * The session of one run: opened once per task and continued after a crash, since the task's journal contains the folder's name. If a
 * session cannot be opened, this is logged and the task runs without a session.
 */
import type { Logger, TaskJournal } from '../../base/ports.ts';
import { removeCredentials } from '../../base/addresses/without-credentials.ts';
import type { Task } from '../../base/protocol/task.ts';
import { Session, type SessionOptions } from './session.ts';
import type { RunSession } from '../run-ports.ts';

/** Stage of the session's id in the journal. */
const STAGE = 'session';

export interface RunSessionOptions extends Omit<SessionOptions, 'taskId' | 'resume'> {
  task: Task;
  /** Stores the folder's name, to find it after a crash. */
  journal: TaskJournal;
  logger: Logger;
}

/** Opens the task's session; undefined if that fails. Rejects only if the journal cannot be written (`StorageError`). */
export async function openRunSession(options: RunSessionOptions): Promise<RunSession | undefined> {
  const { task, journal, logger } = options;
  const past = journal.read(STAGE).at(-1)?.body;
  const opened = await Session.open({
    ...options,
    taskId: task.task_id,
    task: { ...task, ...(task.repo && { repo: removeCredentials(task.repo) }) },
    resume: typeof past === 'string' ? past : undefined,
  });
  if (!opened.ok) {
    logger.warn({ task_id: task.task_id, code: opened.failure.code }, opened.failure.message);
    return undefined;
  }
  const session = opened.value;
  if (session.id !== past) {
    journal.append([{ kind: 'input', stage: STAGE, round: 0, call: 0, body: session.id }]);
  }
  return session;
}
