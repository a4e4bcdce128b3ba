/** A model that is chosen and loaded, with what asking it needs. One for each model of a task. */
import type { CatalogEntry } from '../../model/catalog.ts';
import type { ModelSession } from '../../model/model-session.ts';
import type { ToolMode } from '../../prompt/system-prompt.ts';
import type { TokenEstimator } from '../../prompt/token-estimate.ts';
import type { SentPrompts } from '../sent-prompts.ts';

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
  /** Its prompts in this task. */
  readonly sent: SentPrompts;
}

/** A model that was chosen and is not loaded yet. */
export interface ComingModel {
  readonly name: string;
  /** As far as is known before the server has reported what the model is. */
  readonly windowTokens: number;
}
