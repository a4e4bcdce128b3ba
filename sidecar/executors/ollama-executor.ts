/**
 * Runs a task with a local model, in the way that its route names. `execute` is the whole job, checks included; `open`
 * gives the attempt for `executeWithVerification`. Tasks that are a shell command are the `ShellExecutor`'s.
 */
import { Gate } from '../model/gate.ts';
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task, TaskInput } from '../protocol/task.ts';
import type { AttemptOpener, Opened, OpenedRun } from '../solve/attempt.ts';
import { executeTask } from './execute-task.ts';
import { attemptPlan, ONCE } from '../solve/attempts/attempt-plan.ts';
import { openSeries } from '../solve/attempts/open-series.ts';
import { openModels } from '../asking/models/open-models.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './opening/executor-settings.ts';
import { openAttempt, refused } from './opening/open-attempt.ts';
import { routeFor, type WayName } from './routing.ts';
import { WAYS } from './ways.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './opening/executor-settings.ts';

export class OllamaExecutor implements AttemptOpener<ExecuteConfig>, TaskExecutor<ExecuteConfig> {
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
    return executeTask(this, this.#settings, { task, config, onProgress });
  }

  open(task: Task, config: ExecuteConfig, emit: OnProgress): Promise<Opened> {
    const route = routeFor(task, this.#settings.config);
    if (route.kind === 'unsupported' || route.kind === 'shell') return Promise.resolve(refused(route));
    const agentic = route.kind !== 'simple';
    return openAttempt(this.#settings, { task, config, emit, agentic }, (opened) =>
      this.#openWay(route.kind, opened, config),
    );
  }

  async #openWay(
    kind: WayName,
    opened: OpenedRun,
    { ollama_url: url, model }: ExecuteConfig,
  ): Promise<Opened> {
    const { run, onClose } = opened;
    onClose(() => this.#gate.forget(run.task.task_id));
    const { catalog, createServer, circuits } = this.#settings;
    const source = { url, model, catalog, createServer, circuits, gate: this.#gate };
    return openSeries({
      opened,
      // A plan is gone on with, not begun again.
      plan: kind === 'planned' ? ONCE : attemptPlan(run.task, run.config),
      openModels: (attempt, wishes) => openModels(attempt, source, wishes),
      openWay: await WAYS[kind](),
    });
  }
}
