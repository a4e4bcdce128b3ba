/**
 * What to do where there is too little memory for a model even with half of its window: the next smaller one of the
 * operator's ladder, where it is installed. Without one the task is held until there is memory.
 */
import { isSameModel } from '../../model/choose-model.ts';
import type { ModelFailure } from '../../model/chat.ts';
import type { ServerHold } from '../../model/retry.ts';
import type { Outcome } from '../../ports.ts';

/** Which model of a ladder, which begins with its smallest, stands in for a larger one. */
export class SmallerModels {
  readonly #ladder: readonly string[];
  readonly #installed: readonly { name: string }[];
  readonly #unusable = new Set<string>();

  constructor(ladder: readonly string[], installed: readonly { name: string }[]) {
    this.#ladder = ladder;
    this.#installed = installed;
  }

  /** The nearest one below `model` that can be used; undefined where there is none. */
  of(model: string): string | undefined {
    const at = this.#ladder.findIndex((name) => isSameModel(name, model));
    return this.#ladder
      .slice(0, Math.max(0, at))
      .findLast(
        (name) => !this.#unusable.has(name) && this.#installed.some((one) => isSameModel(one.name, name)),
      );
  }

  /** The model could not be made ready: it stands in for none. */
  exclude(model: string): void {
    this.#unusable.add(model);
  }
}

export const smallerText = (model: string, smaller: string): string =>
  `Warning: too little memory for ${model}; using ${smaller}, the next smaller one of the ladder`;

/** Prepares the model, or the nearest smaller one that there is memory for. */
export async function prepareOrSmaller<T>(
  wanted: string,
  parts: {
    smaller: Pick<SmallerModels, 'of'>;
    prepare: (model: string) => Promise<Outcome<T, ModelFailure>>;
    tell: (text: string) => void;
  },
): Promise<{ model: string; own: Outcome<T, ModelFailure> }> {
  let model = wanted;
  for (;;) {
    const own = await parts.prepare(model);
    const smaller =
      own.ok || own.failure.code !== 'model_out_of_memory' ? undefined : parts.smaller.of(model);
    if (smaller === undefined) return { model, own };
    parts.tell(smallerText(model, smaller));
    model = smaller;
  }
}

/** A hold that does not wait for memory while `mayGiveUp` says so and no other server could have it. */
export function notForMemory(hold: ServerHold, mayGiveUp: () => boolean): ServerHold {
  return {
    get hasOther() {
      return hold.hasOther;
    },
    ready: () => hold.ready(),
    answered: () => hold.answered(),
    outlast: async (failure, isLast) => {
      const givesUp = failure.code === 'model_out_of_memory' && !hold.hasOther && mayGiveUp();
      return givesUp ? false : hold.outlast(failure, isLast);
    },
  };
}
