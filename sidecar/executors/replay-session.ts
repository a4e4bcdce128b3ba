/**
 * A recorded session run again without a model server: the same loop, the same tools,
 * the answers that the model gave then. Nobody is asked, nothing is spent.
 */
import { join } from 'node:path';
import { configSchema, type ConfigInput } from '../config/schema.ts';
import type { OnProgress, Outcome } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import { taskSchema } from '../protocol/task.ts';
import { replayServer } from '../session/replay-server.ts';
import { readRequests } from '../session/request-log.ts';
import { readInfo } from '../session/session-info.ts';
import { REQUEST_LOG } from '../session/session.ts';
import type { ExecuteConfig } from './executor-settings.ts';
import { OllamaExecutor } from './ollama-executor.ts';

export interface ReplaySessionOptions {
  /** The session's folder. */
  folder: string;
  /** Where the tools work, such as a checkout of the commit that the session began from; default: an empty folder. */
  workspace?: ExecuteConfig['workspace'];
  /** Goes over the recorded settings: the sandbox, as a rule. */
  config?: ConfigInput;
  onProgress?: OnProgress;
}

export interface ReplayedSession {
  result: TaskResult;
  /** Number of the first request that was another one than the recorded, if one was. */
  divergedAt?: number;
}

/** Runs a session again. Fails with `session_not_replayable` where the folder holds no task or no answers. */
export async function replaySession(options: ReplaySessionOptions): Promise<Outcome<ReplayedSession>> {
  const { folder, workspace, config = {}, onProgress } = options;
  const info = await readInfo(folder);
  const recorded = await readRequests(join(folder, REQUEST_LOG));
  const task = taskSchema.safeParse(info?.task);
  const settings = configSchema.safeParse({ ...info?.settings, ...config });
  if (!info || !task.success || !settings.success || recorded.length === 0) {
    const message = `${folder} holds no task with answers of a model; it cannot be replayed`;
    return { ok: false, failure: { code: 'session_not_replayable', message } };
  }
  let divergedAt: number | undefined;
  const server = replayServer(recorded, { onDivergence: (request) => (divergedAt = request) });
  const executor = new OllamaExecutor({
    config: { ...settings.data, budgets: {}, approval: {} },
    createServer: () => server,
  });
  const result = await executor.execute(task.data, { workspace, model: info.model }, onProgress);
  return { ok: true, value: { result, ...(divergedAt === undefined ? {} : { divergedAt }) } };
}
