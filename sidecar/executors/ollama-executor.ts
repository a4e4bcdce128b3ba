/**
 * Runs a task with a local model, checks included, in the way that its route names. Tasks that are a shell command are the
 * `ShellExecutor`'s.
 */
import { openModels } from '../asking/models/open-models.ts';
import { Gate } from '../model/gate.ts';
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { TaskInput } from '../protocol/task.ts';
import { attemptPlan, ONCE } from '../solve/attempt-plan.ts';
import { solve, type Solved } from '../solve/solve.ts';
import type { TaskRun } from '../task/task-run.ts';
import { executeTask } from './execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './opening/executor-settings.ts';
import { routeFor, type WayName } from './routing.ts';
import { WAYS } from './ways.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './opening/executor-settings.ts';

export class OllamaExecutor implements TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;
  readonly #gate: Gate;

  constructor(deps: OllamaExecutorDeps = {}) {
    this.#settings = completeSettings(deps);
    this.#gate = deps.gate ?? new Gate({ clock: this.#settings.clock });
    deps.circuits?.onChange(() => this.#gate.recheck());
  }

  /** Runs and verifies a task. Never rejects for an expected failure: that is a result with `status: failed`. */
  execute(
    task: TaskInput,
    config: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    return executeTask(this.#settings, { task, config, onProgress }, (parsed) => {
      const route = routeFor(parsed, this.#settings.config);
      if (route.kind === 'unsupported' || route.kind === 'shell') return { refused: route };
      return {
        agentic: route.kind !== 'simple',
        work: (run) => this.#solve(run, route.kind, config),
      };
    });
  }

  async #solve(run: TaskRun, kind: WayName, { ollama_url: url, model }: ExecuteConfig): Promise<Solved> {
    const { catalog, createServer, circuits } = this.#settings;
    const source = { url, model, catalog, createServer, circuits, gate: this.#gate };
    try {
      return await solve(run, {
        way: await WAYS[kind](),
        // A plan is gone on with, not begun again.
        plan: kind === 'planned' ? ONCE : attemptPlan(run.task, run.config),
        openModels: (attempt, wishes) => openModels(attempt, source, wishes),
      });
    } finally {
      this.#gate.forget(run.task.task_id);
    }
  }
}
