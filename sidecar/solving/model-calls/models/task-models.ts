/**
 * The models of one task: its own, and those that the catalogue names for kinds of stages (`planning`, `summary`). The
 * task's own model stands in where another is not installed or cannot be made ready. One session per model.
 */
import type { CatalogEntry, ModelCatalog } from '../../../model/catalog.ts';
import { chooseStageModel } from '../../../model/choose-model.ts';
import type { ModelSession } from '../../../model/model-session.ts';
import type { InstalledModel, ModelFailure } from '../../../model/chat.ts';
import type { Outcome } from '../../../base/ports.ts';
import type { TaskRun } from '../../task/task-run.ts';
import type { ToolMode } from '../../prompt/system-prompt.ts';
import type { TokenEstimator } from '../../../model/token-estimate.ts';

/** A model that is chosen and loaded, with what asking it needs. */
export interface ReadyModel {
  readonly name: string;
  readonly entry: CatalogEntry;
  /** How this model is offered tools. */
  readonly toolMode: ToolMode;
  readonly session: ModelSession;
  /** How many calls its server answers at once. */
  slots(): number;
  /** Learns from each answer how many tokens this model makes of a text. */
  readonly estimator: TokenEstimator;
  /** How fast its server reads prompts, as known before the task; undefined if unknown. */
  readonly tokensPerSecond: number | undefined;
}

/** A model that was chosen and is not loaded yet. */
export interface ComingModel {
  readonly name: string;
  /** As far as is known before the server has reported what the model is. */
  readonly windowTokens: number;
  readonly tokensPerSecond: number | undefined;
}

interface TaskModelsOptions {
  run: TaskRun;
  own: ReadyModel;
  installed: readonly InstalledModel[];
  catalog: ModelCatalog;
  prepare: (model: string) => Promise<Outcome<ReadyModel, ModelFailure>>;
}

export class TaskModels {
  readonly #options: TaskModelsOptions;
  readonly #ready = new Map<string, ReadyModel>();

  constructor(options: TaskModelsOptions) {
    this.#options = options;
  }

  /** The task's own model. */
  get own(): ReadyModel {
    return this.#options.own;
  }

  /** The model for a kind of stage, a key of the catalogue's `byTaskType`. Never rejects. */
  async forStage(kind: string): Promise<ReadyModel> {
    const { run, own, installed, catalog, prepare } = this.#options;
    const name = chooseStageModel(kind, own.name, installed, catalog);
    if (name === own.name) return own;
    const known = this.#ready.get(name);
    if (known) return known;
    const prepared = await prepare(name);
    if (!prepared.ok && run.control.stopReason === undefined) {
      const text = `Model ${name} for ${kind} is not ready (${prepared.failure.message}); using ${own.name}`;
      run.emit({ event_type: 'status', text });
    }
    const ready = prepared.ok ? prepared.value : own;
    this.#ready.set(name, ready);
    return ready;
  }
}
