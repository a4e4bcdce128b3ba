/** Runs the tasks that are a command, without a model. `routeTask` says which tasks those are. */
import type { OnProgress, TaskExecutor } from '../../ports.ts';
import type { TaskResult } from '../../protocol/result.ts';
import type { TaskInput } from '../../protocol/task.ts';
import { workAndVerify } from '../../solve/verify.ts';
import { hasWorkedInFolder } from '../../task/journal.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { executeTask } from '../execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorDeps,
  type ExecutorSettings,
} from '../opening/executor-settings.ts';
import { routeFor } from '../routing.ts';
import { runCommand, type ShellCommand } from './run-command.ts';

export class ShellExecutor implements TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;

  constructor(deps: ExecutorDeps = {}) {
    this.#settings = completeSettings(deps);
  }

  /** Runs and verifies a task. Never rejects for an expected failure: that is a result with `status: failed`. */
  execute(
    task: TaskInput,
    config: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    return executeTask(this.#settings, { task, config, onProgress }, (parsed) => {
      const route = routeFor(parsed, this.#settings.config);
      if (route.kind !== 'shell') return { refused: route };
      return { agentic: false, work: (run) => work(run, route) };
    });
  }
}

async function work(run: TaskRun, command: ShellCommand) {
  const isResumed = hasWorkedInFolder(run);
  const way = { run: () => runCommand(run, command) };
  const base = () => Promise.resolve(undefined);
  return { ...(await workAndVerify(run, way, { isResumed, base })), model: '' };
}
