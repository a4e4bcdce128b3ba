import {
  openModels,
  type ModelSource,
  type ModelPreferences,
  type OpenModelsOutcome,
} from '../model-calls/models/open-models.ts';
import type { TaskModels } from '../model-calls/models/task-models.ts';
import { createStoppedEnding } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { listAttemptModels, type AttemptPlan } from './solving-options.ts';

/**
 * The models of the attempts. If none of the models that an attempt may use is available, the attempt uses the model of the previous
 * attempt.
 */
export class AttemptModels {
  readonly #plan: AttemptPlan;
  readonly #source: ModelSource;
  /** Missing models that were already reported to the user. */
  readonly #reportedMissing = new Set<string>();
  #models: TaskModels | undefined;

  constructor(plan: AttemptPlan, source: ModelSource) {
    this.#plan = plan;
    this.#source = source;
  }

  /** Returns whether an attempt with this number would use another model than the current one. */
  hasOtherModel(number: number): boolean {
    return listAttemptModels(this.#plan, number)[0] !== this.#models?.ownModel.name;
  }

  async open(
    run: TaskRun,
    number: number,
    onChosen: ModelPreferences['onChosen'],
  ): Promise<OpenModelsOutcome> {
    const names = listAttemptModels(this.#plan, number);
    const models = this.#models;
    if (models && (names.length === 0 || !this.hasOtherModel(number))) return { ok: true, models };
    const current = models?.ownModel.name;
    const opened = await openModels(run, this.#source, {
      names: current === undefined ? names : [...names, current],
      reportedMissing: this.#reportedMissing,
      onChosen,
    });
    if (opened.ok) this.#models = opened.models;
    if (opened.ok || !models) return opened;
    const { detail } = run.control.stopReason === undefined ? opened.ending : createStoppedEnding(run);
    run.emit({
      event_type: 'status',
      text: `${opened.model} cannot be used (${detail}); continuing with ${current}`,
    });
    return { ok: true, models };
  }
}
