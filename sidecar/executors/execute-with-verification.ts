import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import { taskSchema, type TaskInput } from '../protocol/task.ts';

/** Runs a task with `executor` and gives its verified result: all executors check what they have done. */
export const executeWithVerification = <C>(
  executor: TaskExecutor<C>,
  task: TaskInput,
  config: C,
  onProgress: OnProgress,
): Promise<TaskResult> => executor.execute(taskSchema.parse(task), config, onProgress);
