/**
 * The session of one run, as the execution sees it: opened once per task and continued
 * after a crash; the task's journal holds the folder's name. A session that cannot be opened is logged
 * and the task runs without one.
 */
import type { Logger, RunSession, TaskJournal } from '../../base/ports.ts';
import { withoutCredentials } from '../../base/addresses/without-credentials.ts';
import type { Task } from '../../base/protocol/task.ts';
import { Session, type SessionOptions } from './session.ts';

/** The journal's stage of the session's id. */
const STAGE = 'session';

export interface RunSessionOptions extends Omit<SessionOptions, 'taskId' | 'resume'> {
  task: Task;
  /** Remembers the folder over a crash. */
  journal: TaskJournal;
  logger: Logger;
}

/** Opens the task's session. Never rejects but for a journal that cannot be written (`StorageError`). */
export async function openRunSession(options: RunSessionOptions): Promise<RunSession | undefined> {
  const { task, journal, logger } = options;
  const past = journal.read(STAGE).at(-1)?.body;
  const opened = await Session.open({
    ...options,
    taskId: task.task_id,
    task: { ...task, ...(task.repo && { repo: withoutCredentials(task.repo) }) },
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
