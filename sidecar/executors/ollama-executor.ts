/**
 * Runs a task with a local model, checks included, in the way that its route names. Tasks that are a shell command are the
 * `ShellExecutor`'s.
 */
import { openModels, type ModelWishes } from '../asking/models/open-models.ts';
import { Scheduler } from '../model/servers/scheduler.ts';
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task, TaskInput } from '../protocol/task.ts';
import { attemptPlan, ONCE } from '../solve/wishes.ts';
import { solve } from '../solve/solve.ts';
import type { TaskRun } from '../task/task-run.ts';
import { executeTask, type Job } from './execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './executor-settings.ts';
import { routeFor } from './routing.ts';
import { WAYS } from './ways.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './executor-settings.ts';

export class OllamaExecutor implements TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;
  readonly #scheduler: Scheduler;

  constructor(deps: OllamaExecutorDeps = {}) {
    this.#settings = completeSettings(deps);
    const { scheduler, clock, createServer } = this.#settings;
    this.#scheduler = scheduler ?? new Scheduler({ clock, createServer });
  }

  /** Runs and verifies a task. Never rejects for an expected failure: that is a result with `status: failed`. */
  async execute(
    input: TaskInput,
    config: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    try {
      return await executeTask(this.#settings, { task: input, config, onProgress }, (task) =>
        this.#job(task, config),
      );
    } finally {
      this.#scheduler.forget(input.task_id);
    }
  }

  #job(task: Task, { ollama_url: url, model }: ExecuteConfig): Job {
    const route = routeFor(task, this.#settings.config);
    if (route.kind === 'unsupported' || route.kind === 'shell') return { refused: route };
    const { catalog, createServer, config, machine } = this.#settings;
    const holds = this.#settings.scheduler !== undefined;
    const source = { url, model, catalog, machine, createServer, scheduler: this.#scheduler, holds };
    const options = {
      // A plan is gone on with, not begun again.
      plan: route.kind === 'planned' ? ONCE : attemptPlan(task, config),
      openModels: (attempt: TaskRun, wishes: ModelWishes) => openModels(attempt, source, wishes),
    };
    return {
      agentic: route.kind !== 'simple',
      work: async (run) => solve(run, { way: await WAYS[route.kind](), ...options }),
    };
  }
}
