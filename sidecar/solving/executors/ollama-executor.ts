/** Runs and verifies a task with a local model, in the way of its route. The `ShellExecutor` runs shell commands. */
import { Scheduler } from '../../model/servers/scheduler.ts';
import type { OnProgress } from '../../base/ports.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import { taskSchema, type TaskInput } from '../../base/protocol/task.ts';
import { attemptPlan, ONCE } from '../solve/wishes.ts';
import { solve } from '../solve/solve.ts';
import { executeTask, refusedResult } from './execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './executor-settings.ts';
import { routeFor } from '../ways/routing.ts';
import { WAYS } from '../ways/ways.ts';
import type { TaskExecutor } from '../run-ports.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './executor-settings.ts';

export class OllamaExecutor implements TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;
  readonly #scheduler: Scheduler;

  constructor(deps: OllamaExecutorDeps = {}) {
    this.#settings = completeSettings(deps);
    const { scheduler, clock, createServer } = this.#settings;
    this.#scheduler = scheduler ?? new Scheduler({ clock, createServer });
  }

  /** Runs and verifies a task. Expected failures do not reject: they are results with `status: failed`. */
  async execute(
    input: TaskInput,
    config: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    const { config: settings, catalog, createServer, machine } = this.#settings;
    const task = taskSchema.parse(input);
    const route = routeFor(task, settings);
    if (route.kind === 'unsupported' || route.kind === 'shell') return refusedResult(task, route);
    const { kind } = route;
    const { ollama_url: url, model } = config;
    const putsTasksOnHold = this.#settings.scheduler !== undefined;
    const models = {
      url,
      model,
      catalog,
      machine,
      createServer,
      scheduler: this.#scheduler,
      putsTasksOnHold,
    };
    // A plan is continued within its only attempt.
    const plan = kind === 'planned' ? ONCE : attemptPlan(task, settings);
    const execution = { task, config, onProgress, agentic: kind !== 'simple' };
    try {
      return await executeTask(this.#settings, execution, (run) =>
        solve(run, { way: WAYS[kind], plan, models }),
      );
    } finally {
      this.#scheduler.forgetTask(task.task_id);
    }
  }
}
