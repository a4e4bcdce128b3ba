/** What every executor does around `executeWithVerification`: events are numbered, the session is opened and ended. */
import type { OnProgress } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import { taskSchema, type TaskInput } from '../protocol/task.ts';
import type { AttemptOpener } from '../solve/attempt.ts';
import { executeWithVerification } from '../solve/execute-with-verification.ts';
import type { ExecuteConfig, ExecutorSettings } from './opening/executor-settings.ts';
import { ProgressEmitter } from './progress-emitter.ts';

export interface Execution {
  task: TaskInput;
  config: ExecuteConfig;
  onProgress: OnProgress;
}

/** Runs and verifies a task. Never rejects for an expected failure: that is a result with `status: failed`. */
export async function executeTask(
  opener: AttemptOpener<ExecuteConfig>,
  { clock, logger, openSession }: ExecutorSettings,
  { task, config, onProgress }: Execution,
): Promise<TaskResult> {
  const progress = new ProgressEmitter({ onProgress, clock, logger, lastSeq: config.last_seq });
  const session = config.session ?? (await openSession?.(taskSchema.parse(task)));
  let result: TaskResult | undefined;
  try {
    result = await executeWithVerification(opener, task, { ...config, session }, progress.emit);
    return result;
  } finally {
    progress.flush();
    await session?.end(result);
  }
}
