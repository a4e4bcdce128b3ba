/**
 * The models of one task: its own model, and the models that the catalogue names for kinds of stages (`planning`, `summary`). If such a
 * model is not installed or cannot be prepared, the task's own model replaces it. Each model has one session.
 */
import type { CatalogEntry, ModelCatalog } from '../../../model/catalog.ts';
import { chooseStageModel } from '../../../model/choose-model.ts';
import type { ModelSession } from '../../../model/model-session.ts';
import type { InstalledModel, ModelFailure } from '../../../model/chat.ts';
import type { TaskRun } from '../../task/task-run.ts';
import type { ToolMode } from '../../prompt/system-prompt.ts';
import type { TokenEstimator } from '../../../model/token-estimate.ts';
import type { Outcome } from '../../../base/values/outcome.ts';

/** A loaded model, with everything that is needed to ask it. */
export interface ReadyModel {
  readonly name: string;
  readonly entry: CatalogEntry;
  /** How tools are offered to this model. */
  readonly toolMode: ToolMode;
  readonly session: ModelSession;
  /** Returns the number of calls that the server answers in parallel. */
  slots(): number;
  /** Estimator of tokens, which updates its ratio of tokens to characters with each answer. */
  readonly estimator: TokenEstimator;
  /** Speed at which the server reads prompts, measured before the task; undefined if unknown. */
  readonly tokensPerSecond: number | undefined;
}

/** A chosen model that is not loaded yet. */
export interface ChosenModel {
  readonly name: string;
  /** Estimated window; the server has not described the model yet. */
  readonly windowTokens: number;
  readonly tokensPerSecond: number | undefined;
}

interface TaskModelsOptions {
  run: TaskRun;
  ownModel: ReadyModel;
  installedModels: readonly InstalledModel[];
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
  get ownModel(): ReadyModel {
    return this.#options.ownModel;
  }

  /** Returns the model for `kind`, which is a key of the catalogue's `byTaskType`. Never rejects. */
  async prepareForStage(kind: string): Promise<ReadyModel> {
    const { run, ownModel, installedModels, catalog, prepare } = this.#options;
    const name = chooseStageModel(kind, ownModel.name, installedModels, catalog);
    if (name === ownModel.name) return ownModel;
    const knownModel = this.#ready.get(name);
    if (knownModel) return knownModel;
    const prepared = await prepare(name);
    if (!prepared.ok && run.control.stopReason === undefined) {
      const text = `Model ${name} for ${kind} could not be prepared (${prepared.failure.message}). ${ownModel.name} replaces it`;
      run.emit({ event_type: 'status', text });
    }
    const ready = prepared.ok ? prepared.value : ownModel;
    this.#ready.set(name, ready);
    return ready;
  }
}
