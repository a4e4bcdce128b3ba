/** Runs the tasks that are a command, without a model. `routeTask` says which tasks those are. */
import type { OnProgress, TaskExecutor } from '../../ports.ts';
import type { TaskResult } from '../../protocol/result.ts';
import type { Task, TaskInput } from '../../protocol/task.ts';
import type { AttemptOpener, Opened } from '../../solve/attempt.ts';
import { executeTask } from '../execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorDeps,
  type ExecutorSettings,
} from '../opening/executor-settings.ts';
import { openAttempt, refused } from '../opening/open-attempt.ts';
import { routeFor } from '../routing.ts';
import { runCommand } from './run-command.ts';

export class ShellExecutor implements AttemptOpener<ExecuteConfig>, TaskExecutor<ExecuteConfig> {
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
    return executeTask(this, this.#settings, { task, config, onProgress });
  }

  open(task: Task, config: ExecuteConfig, emit: OnProgress): Promise<Opened> {
    const route = routeFor(task, this.#settings.config);
    if (route.kind !== 'shell') return Promise.resolve(refused(route));
    return openAttempt(this.#settings, { task, config, emit, agentic: false }, ({ run, close }) =>
      Promise.resolve({
        ok: true,
        attempt: { run, way: { run: () => runCommand(run, route) }, model: '', close },
      }),
    );
  }
}
