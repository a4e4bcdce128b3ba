/**
 * The models of the stages of a planned workflow: the catalogue's for the kind of stage,
 * the task's own where that is not installed or cannot be made ready. One session per model.
 */
import type { ModelCatalog } from '../model/catalog.ts';
import { chooseStageModel } from '../model/choose-model.ts';
import type { InstalledModel } from '../model/chat.ts';
import type { AskBase } from './ask.ts';

export interface StageModelsOptions {
  /** The task's own model, ready. */
  base: AskBase;
  installed: readonly InstalledModel[];
  catalog: ModelCatalog;
  open: (model: string) => AskBase;
}

export class StageModels {
  readonly #options: StageModelsOptions;
  readonly #opened: Map<string, AskBase>;

  constructor(options: StageModelsOptions) {
    this.#options = options;
    this.#opened = new Map([[options.base.model, options.base]]);
  }

  /** What a stage asks its model with. `stage` is a key of the catalogue's `byTaskType`. Never rejects. */
  async base(stage: string): Promise<AskBase> {
    const { base, installed, catalog, open } = this.#options;
    const model = chooseStageModel(stage, base.model, installed, catalog);
    const known = this.#opened.get(model);
    if (known) return known;
    const opened = open(model);
    const prepared = await opened.session.prepare();
    if (!prepared.ok && base.control.stopReason === undefined) {
      const text = `Model ${model} for ${stage} is not ready (${prepared.failure.message}); using ${base.model}`;
      base.emit({ event_type: 'status', text });
    }
    const ready = prepared.ok ? opened : base;
    this.#opened.set(model, ready);
    return ready;
  }
}
