/**
 * The session of one run, as the execution sees it: opened once per task and continued
 * after a crash; the task's journal holds the folder's name. A session that cannot be opened is logged
 * and the task runs without one.
 */
import type { Clock, Logger, ModelServer, RunObserver, RunSession, TaskJournal } from '../ports.ts';
import { withoutCredentials } from '../addresses/without-credentials.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task } from '../protocol/task.ts';
import { recordingServer } from './recording-server.ts';
import { Session, type Mask } from './session.ts';

/** Where the journal keeps the session's id. */
const STAGE = 'session';

export interface RunSessionOptions {
  sessionsDir: string;
  task: Task;
  /** Remembers the folder over a crash; without one each run has a folder of its own. */
  journal?: TaskJournal;
  /** Kept in the session for a replay. */
  settings?: Record<string, unknown>;
  clock: Pick<Clock, 'now'>;
  mask: Mask;
  logger: Logger;
}

/** Opens the task's session. Never rejects but for a journal that cannot be written (`StorageError`). */
export async function openRunSession(options: RunSessionOptions): Promise<RunSession | undefined> {
  const { sessionsDir, task, journal, settings, clock, mask, logger } = options;
  const past = journal?.read(STAGE).at(-1)?.body;
  const opened = await Session.open({
    sessionsDir,
    taskId: task.task_id,
    task: { ...task, ...(task.repo && { repo: withoutCredentials(task.repo) }) },
    settings,
    clock,
    mask,
    logger,
    resume: typeof past === 'string' ? past : undefined,
  });
  if (!opened.ok) {
    logger.warn({ task_id: task.task_id, code: opened.failure.code }, opened.failure.message);
    return undefined;
  }
  const session = opened.value;
  if (session.id !== past) {
    journal?.append([{ kind: 'input', stage: STAGE, round: 0, call: 0, body: session.id }]);
  }
  return {
    observer: observerOf(session),
    planFile: session.planFile,
    maskDeep: (value) => mask.maskDeep(value),
    record: (server: ModelServer) => recordingServer(server, session),
    note: (facts) => session.note(facts),
    end: (result) => endSession(session, result, logger),
  };
}

const observerOf = (session: Session): RunObserver => ({
  said: (type, text) => session.log(type, text),
  toolCall: (name, args) => session.logToolCall(name, args),
  toolResult: (name, fullOutput) => session.log('TOOL_RESULT', `${name}: ${fullOutput}`),
  roundEnded: () => session.flush(),
});

async function endSession(session: Session, result: TaskResult | undefined, logger: Logger): Promise<void> {
  const failure = result ? await session.end(result) : session.flush();
  if (failure) logger.warn({ code: failure.code }, failure.message);
}
