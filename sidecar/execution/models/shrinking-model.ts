/**
 * A task's own model, which gives way to the next smaller one of the ladder where the server has too little memory for it in
 * the middle of the task. To whoever asks it is one model, whose name and window may change between two answers.
 */
import type { AskOutcome, AskRequest, ModelSession } from '../../model/model-session.ts';
import type { ModelFailure } from '../../model/chat.ts';
import { addSpent, nothingSpent } from '../../model/spent.ts';
import type { Outcome } from '../../ports.ts';
import type { ReadyModel } from './ready-model.ts';
import { smallerText, type SmallerModels } from './smaller-model.ts';

export interface ShrinkingModelParts {
  smaller: SmallerModels;
  prepare: (model: string) => Promise<Outcome<ReadyModel, ModelFailure>>;
  tell: (text: string) => void;
  /** Another model stands in from now on. Must not throw. */
  onShrunk: (model: string) => void;
}

export class ShrinkingModel implements ReadyModel {
  readonly #parts: ShrinkingModelParts;
  #current: ReadyModel;
  /** Several calls may fail at once; one of them shrinks. */
  #shrinking: Promise<boolean> | undefined;
  readonly session: ModelSession;

  constructor(first: ReadyModel, parts: ShrinkingModelParts) {
    this.#parts = parts;
    this.#current = first;
    const current = () => this.#current.session;
    this.session = {
      prepare: () => current().prepare(),
      ask: (request) => this.#ask(request),
      get windowTokens() {
        return current().windowTokens;
      },
      get spent() {
        return current().spent;
      },
    };
  }

  get name(): string {
    return this.#current.name;
  }

  get entry(): ReadyModel['entry'] {
    return this.#current.entry;
  }

  get toolMode(): ReadyModel['toolMode'] {
    return this.#current.toolMode;
  }

  get estimator(): ReadyModel['estimator'] {
    return this.#current.estimator;
  }

  get sent(): ReadyModel['sent'] {
    return this.#current.sent;
  }

  slots(): number | undefined {
    return this.#current.slots();
  }

  async #ask(request: AskRequest): Promise<AskOutcome> {
    const spent = nothingSpent();
    for (;;) {
      const asked = this.#current;
      const outcome = await asked.session.ask(request);
      addSpent(spent, outcome.spent);
      if (outcome.ok || outcome.failure.code !== 'model_out_of_memory') return { ...outcome, spent };
      if (asked !== this.#current) continue;
      this.#shrinking ??= this.#shrink();
      const canGoOn = await this.#shrinking;
      this.#shrinking = undefined;
      if (!canGoOn) return { ...outcome, spent };
    }
  }

  /**
   * False where nothing is smaller. A smaller one that cannot be made ready is out: the next call tries another one, or the
   * same model as before, which is then held.
   */
  async #shrink(): Promise<boolean> {
    const { smaller, prepare, tell, onShrunk } = this.#parts;
    const { name } = this.#current;
    const next = smaller.of(name);
    if (next === undefined) return false;
    tell(smallerText(name, next));
    const prepared = await prepare(next);
    if (prepared.ok) {
      this.#current = prepared.value;
      onShrunk(next);
    } else {
      smaller.exclude(next);
      tell(`${next} is not ready (${prepared.failure.message})`);
    }
    return true;
  }
}
