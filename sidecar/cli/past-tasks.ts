/** The tasks that ran on this machine, in a worker or in `run`, with history and session. Can read while a worker runs. */
import { join } from 'node:path';
import type { Config } from '../base/config/schema.ts';
import type { SessionInfo } from '../solving/session/session-info.ts';
import { listSessions } from '../solving/session/session-store.ts';
import { readHistory, type HistoryRow } from '../base/storage/history.ts';
import { MOOT_PREFIX } from '../base/storage/outbox.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { createUsageError } from './exit-codes.ts';
import { listStateFolders } from './state-folders.ts';

/** A task with its end, its session, or both: a running task has no end yet, an old task has no session any more. */
export interface PastTask {
  taskId: string;
  historyRow?: HistoryRow;
  session?: SessionInfo;
}

/** Explanations of the hub's reasons to refuse a result, by code. */
const REFUSAL_TEXTS: Record<string, string> = {
  stale_generation: 'the hub had already reassigned the task',
  assigned_again: 'the hub reassigned the task',
  invalid_state: 'the task had already ended on the hub',
  not_found: 'the hub has no such task',
  validation_failed: 'the hub could not read the result',
};

type FolderConfig = Pick<Config, 'worker'>;

/** Returns the newest tasks, newest first, without their results. */
export async function listPastTasks({ worker }: FolderConfig, limit: number): Promise<PastTask[]> {
  const ends = await readHistoryRows(worker, { limit });
  const sessions = (await listSessions(resolveWorkerFolders(worker).sessionsDir)).slice(0, limit);
  const tasks: PastTask[] = ends.map((end) => ({ taskId: end.taskId, historyRow: end }));
  for (const session of sessions) {
    const task = tasks.find((one) => one.taskId === session.task_id && !one.session);
    if (task) task.session = session;
    else tasks.push({ taskId: session.task_id, session });
  }
  return tasks.sort((a, b) => timeOf(b) - timeOf(a)).slice(0, limit);
}

/** Returns a task with its result by its id, its session's id, or `last`. */
export async function findPastTask(
  { worker }: FolderConfig,
  taskName: string,
): Promise<PastTask | undefined> {
  const [newest] = taskName === 'last' ? await listPastTasks({ worker }, 1) : [];
  const wantedId = newest?.taskId ?? taskName;
  const sessions = await listSessions(resolveWorkerFolders(worker).sessionsDir);
  const session = sessions.find(({ id, task_id: taskId }) => id === wantedId || taskId === wantedId);
  const taskId = session?.task_id ?? wantedId;
  const [end] = await readHistoryRows(worker, { limit: 1, includesResults: true, taskId });
  return session || end
    ? { taskId, ...(end && { historyRow: end }), ...(session && { session }) }
    : undefined;
}

/** Returns the session of a task. Throws `CommandError`. */
export async function findSession(config: FolderConfig, taskName: string): Promise<SessionInfo> {
  const session = (await findPastTask(config, taskName))?.session;
  if (session) return session;
  throw createUsageError(
    'task_unknown',
    `There is no session of task ${taskName} in ${resolveWorkerFolders(config.worker).sessionsDir}. \`ollama-sidecar show\` lists the tasks.`,
  );
}

async function readHistoryRows(
  worker: Config['worker'],
  query: { limit: number; includesResults?: boolean; taskId?: string },
): Promise<HistoryRow[]> {
  const folders = await listStateFolders(resolveWorkerFolders(worker).stateDir);
  const histories = await Promise.all(folders.map((folder) => readHistory(folder, query)));
  return histories
    .flat()
    .sort((a, b) => b.finishedAtMs - a.finishedAtMs)
    .slice(0, query.limit);
}

export const timeOf = ({ historyRow, session }: PastTask): number =>
  historyRow?.finishedAtMs ?? Date.parse(session?.end ?? session?.start ?? '');

export const statusOf = ({ historyRow, session }: PastTask): string =>
  historyRow?.outcome ?? session?.status ?? 'unknown';

/** Returns the hub's reason for refusing the task's result; undefined if the hub did not refuse it. */
export function refusalOf({ historyRow }: PastTask): string | undefined {
  if (!historyRow?.delivery.startsWith(MOOT_PREFIX)) return undefined;
  const reason = historyRow.delivery.slice(MOOT_PREFIX.length);
  return REFUSAL_TEXTS[reason] ?? reason;
}

/** Describes the delivery of the task's end to the hub. */
export function deliveryOf(task: PastTask): string {
  const refusal = refusalOf(task);
  if (refusal !== undefined) return `refused: ${refusal}`;
  const { delivery } = task.historyRow ?? {};
  if (delivery === undefined) return '–';
  if (delivery === 'pending') return 'not sent yet';
  return delivery === 'none' ? 'nothing to send' : `delivered (${delivery})`;
}

/** Converts a task to its JSON output. */
export function pastTaskViewOf(task: PastTask, sessionsDir: string) {
  const { taskId, historyRow, session } = task;
  const refusal = refusalOf(task);
  return {
    task_id: taskId,
    status: statusOf(task),
    ...(historyRow && {
      generation: historyRow.generation,
      finished_at: historyRow.finishedAtMs,
      delivery: historyRow.delivery,
    }),
    ...(refusal !== undefined && { refused_because: refusal }),
    ...(historyRow?.error !== undefined && { error: historyRow.error }),
    ...(historyRow?.result && { result: historyRow.result }),
    ...(session && { session: { ...session, folder: join(sessionsDir, session.id) } }),
  };
}
