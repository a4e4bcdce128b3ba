/**
 * What to do where there is too little memory for a model even with half of its window: the next smaller one of the
 * operator's ladder, where it is installed. Without one the task is held until there is memory.
 */
import { isSameModel } from '../../model/choose-model.ts';
import type { ModelFailure } from '../../model/chat.ts';
import type { ServerHold } from '../../model/retry.ts';
import type { Outcome } from '../../ports.ts';

/** The nearest before `model` of a ladder that begins with its smallest model. */
export function smallerOf(
  model: string,
  ladder: readonly string[],
  installed: readonly { name: string }[],
): string | undefined {
  const at = ladder.findIndex((name) => isSameModel(name, model));
  return ladder
    .slice(0, Math.max(0, at))
    .findLast((name) => installed.some((one) => isSameModel(one.name, name)));
}

/** Prepares the model, or the nearest smaller one that there is memory for. */
export async function prepareOrSmaller<T>(
  wanted: string,
  smallerThan: (model: string) => string | undefined,
  parts: {
    /** `mayGiveUp`: too little memory is to fail and not to be waited out. */
    prepare: (model: string, mayGiveUp: boolean) => Promise<Outcome<T, ModelFailure>>;
    tell: (text: string) => void;
  },
): Promise<{ model: string; own: Outcome<T, ModelFailure> }> {
  let model = wanted;
  for (;;) {
    const smaller = smallerThan(model);
    const own = await parts.prepare(model, smaller !== undefined);
    const isTooLarge = !own.ok && own.failure.code === 'model_out_of_memory';
    if (!isTooLarge || smaller === undefined) return { model, own };
    parts.tell(
      `Warning: too little memory for ${model}; using ${smaller}, the next smaller one of the ladder`,
    );
    model = smaller;
  }
}

/** The hold of a model that is being made ready: too little memory is not waited out while `mayGiveUp`. */
export function notForMemory(hold: ServerHold, mayGiveUp: () => boolean): ServerHold {
  return {
    ready: () => hold.ready(),
    answered: () => hold.answered(),
    outlast: async (failure, isLast) =>
      failure.code === 'model_out_of_memory' && mayGiveUp() ? false : hold.outlast(failure, isLast),
  };
}
