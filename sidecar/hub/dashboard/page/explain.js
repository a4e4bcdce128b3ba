/* Why a task ended as it did, in words, and what to do about its error. Pure. */
import { advice } from './advice.js';
import { textOf } from './lenient.js';

/** Why work ended, in words. @type {Record<string, string>} */
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

/**
 * What a table has under a name that may be any value.
 * @template T @param {Record<string, T>} table @param {unknown} key
 */
export const own = (table, key) =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;

/** @param {unknown} reason */
export const endingText = (reason) => own(endings, reason);

/** Text of a program in which codes of endings and checks became words. @param {unknown} text */
export const plain = (text) =>
  textOf(text)
    .replace(
      /(^|after attempt \d{1,3} )([a-z_]{4,20})(?= after \d|[:;]|$)/u,
      (_, before, code) => `${before}${endingText(code)?.slice(0, -1) ?? code}`,
    )
    .replaceAll(/\bcommand_succeeds\b:? ?/gu, '')
    .replaceAll(/\b(?:file_exists|test_passes|file_contains|dead_letter)\b/gu, (code) =>
      code.replace('_', ' '),
    )
    .replaceAll(/\b[a-z]+_[a-z]+\b/gu, (code) => endingText(code)?.slice(0, -1) ?? code);

/** @param {Record<string, unknown>} check */
export const checkName = ({ description, target, type }) =>
  plain(description || target || type) || 'A command';

/**
 * `{ code, means, todo }` of a task's `error`; empty where it begins with nothing that is known.
 * @param {string} error @returns {{ code?: string, means?: string, todo?: string }}
 */
export function explain(error) {
  const found =
    /^(?:([a-z_]{1,40}) after \d{1,9} iterations?(?:: |$))?(?:([A-Za-z_]{1,40}):)?/.exec(error) ?? [];
  const [, reason, named] = found;
  const known = own(advice, named);
  if (named && known) return { code: named, means: known[0], todo: known[1] };
  const means = endingText(reason);
  return reason && means ? { code: reason, means } : {};
}
