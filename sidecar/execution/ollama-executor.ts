/**
 * Runs a task with a local model, in the way that its route names. `execute` is the whole job, checks included; `open`
 * gives the attempt for `executeWithVerification`. Tasks that are a shell command are the `ShellExecutor`'s.
 */
import { Gate } from '../model/gate.ts';
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task, TaskInput } from '../protocol/task.ts';
import type { Attempt, AttemptOpener, Opened } from './attempt.ts';
import { executeTask } from './execute-task.ts';
import { attemptPlan, ONCE } from './attempts/attempt-plan.ts';
import { openSeries } from './attempts/open-series.ts';
import { openModels } from './models/open-models.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorSettings,
  type OllamaExecutorDeps,
} from './opening/executor-settings.ts';
import { openAttempt, refused, type OpenedRun } from './opening/open-attempt.ts';
import { routeFor } from './opening/route-for.ts';
import type { WayName } from './routing.ts';
import { WAYS } from './ways.ts';

export type { ExecuteConfig, OllamaExecutorDeps } from './opening/executor-settings.ts';

export class OllamaExecutor implements AttemptOpener<ExecuteConfig>, TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings & OllamaExecutorDeps;

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

  async #openWay(kind: WayName, opening: OpenedRun, config: ExecuteConfig): Promise<Opened> {
    const { run } = opening;
    opening.onClose(() => this.#gate.forget(run.task.task_id));
    const { catalog, createServer, circuits } = this.#settings;
    const { ollama_url: url, model } = config;
    const source = { url, model, catalog, createServer, circuits, gate: this.#gate };
    const opened = await openSeries({
      opened: opening,
      // A plan is gone on with, not begun again.
      plan: kind === 'planned' ? ONCE : attemptPlan(run.task, run.config),
      openModels: (attempt, wishes) => openModels(attempt, source, wishes),
      openWay: await WAYS[kind].load(),
    });
    if (opened.ok) return opened;
    return withoutModel(WAYS[kind].firstStages, opening, opened);
  }
}

/** Nothing can be done without a model, but what an earlier life of the task did is still checked and reported. */
function withoutModel(
  firstStages: readonly string[],
  { run, close }: OpenedRun,
  { ending, model }: Extract<Opened, { ok: false }>,
): Opened {
  const { journal } = run;
  const hasPast = firstStages.some((stage) => (journal?.read(stage).length ?? 0) > 0);
  if (!hasPast) return { ok: false, ending, model };
  const attempt: Attempt = { run, close, model, way: { run: () => Promise.resolve(ending) } };
  return { ok: true, attempt };
}
