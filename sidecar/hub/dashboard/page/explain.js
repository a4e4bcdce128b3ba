/* Why a task ended as it did, in words, and what to do about its error. Pure. */
import { advice } from './advice.js';

/** Why work ended, in words. */
export const endings = {
  final_answer: 'The model said that it was done.',
  exit_code: 'The command ended.',
  max_iterations: 'It used up the rounds that it may have.',
  repetition: 'The model repeated the same calls and got no further.',
  stall: 'The model got no further.',
  nudge_exhausted: 'The model did not go on, however often it was told to.',
  malformed_output: 'The model’s answers could not be read.',
  timeout: 'It ran out of time.',
  budget_exhausted: 'It used up its budget.',
  cancelled: 'It was cancelled.',
  context_exhausted: 'The conversation no longer fits into the model’s window.',
  model_error: 'The model server failed.',
  shutdown: 'Its worker was stopped.',
};

const own = (table, key) => (Object.hasOwn(table, key ?? '') ? table[key] : undefined);

export const endingText = (reason) => own(endings, reason);

/** `{ code, means, todo }` of a task's `error`; empty where it begins with nothing that is known. */
export function explain(error) {
  const found =
    /^(?:([a-z_]{1,40}) after \d{1,9} iterations?(?:: |$))?(?:([A-Za-z_]{1,40}):)?/.exec(error) ?? [];
  const [, reason, named] = found;
  const code = own(advice, named) ? named : undefined;
  if (code) return { code, means: advice[code][0], todo: advice[code][1] };
  return reason && own(endings, reason) ? { code: reason, means: endings[reason] } : {};
}
