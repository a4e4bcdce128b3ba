/** Runs and verifies a task with a local model, in the way that its route names. */
import { Scheduler } from '../../model/servers/scheduler.ts';
import type { OnProgress } from '../../base/ports.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import { taskSchema, type TaskInput } from '../../base/protocol/task.ts';
import { planAttempts, ONE_ATTEMPT } from '../solve/solving-options.ts';
import { solve } from '../solve/solve.ts';
import { executeTask, buildRefusedResult } from './execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './executor-settings.ts';
import { chooseRoute } from '../ways/routing.ts';
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

  /** Runs and verifies a task. Expected failures do not reject; they are results with `status: failed`. */
  async execute(
    input: TaskInput,
    options: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    const { config, catalog, createServer, machine } = this.#settings;
    const task = taskSchema.parse(input);
    const route = chooseRoute(task, config);
    if (route.kind === 'unsupported' || route.kind === 'shell') return buildRefusedResult(task, route);
    const { kind } = route;
    const { ollama_url: url, model } = options;
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
    // A planned task has only one attempt, in which the plan continues.
    const plan = kind === 'planned' ? ONE_ATTEMPT : planAttempts(task, config);
    const execution = { task, options, onProgress, agentic: kind !== 'simple' };
    try {
      return await executeTask(this.#settings, execution, (run) =>
        solve(run, { way: WAYS[kind], plan, models }),
      );
    } finally {
      this.#scheduler.forgetTask(task.task_id);
    }
  }
}
