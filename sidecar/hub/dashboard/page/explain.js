/* Explains in words how a task ended, and what to do about its error. Pure. */
import { advice } from './advice.js';
import { attemptEndings, endings } from './endings.js';
import { textOf } from './lenient.js';

/** Returns a table's own entry for a key of any type. @template T @param {Record<string, T>} table @param {unknown} key */
export const own = (table, key) =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns why work ended, as a part of a sentence. @param {unknown} reason */
export const endingText = (reason) => own(endings, reason);

/** Returns how an attempt ended. @param {string | null} ending */
export const attemptEndingText = (ending) =>
  ending === null ? 'runs' : (own(attemptEndings, ending) ?? plain(ending));

/** Formats a text as a sentence: a capital at its start and a stop at its end. @param {string} text */
export function sentence(text) {
  const begun = capitalize(text.trim());
  return begun === '' || /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** @param {string} text */
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Replaces codes of endings and checks in a text by words. @param {unknown} text */
export const plain = (text) =>
  textOf(text)
    .replace(/(^|after attempt \d{1,3} )([a-z_]{4,20})(?= after \d|[:;]|$)/u, (_, before, code) => {
      const words = endingText(code) ?? code;
      return before === '' && words !== code ? capitalize(words) : `${before}${words}`;
    })
    .replaceAll(/\b(?:file_exists|test_passes|file_contains|dead_letter)\b/gu, (code) =>
      code.replace('_', ' '),
    )
    .replaceAll(/\b[a-z]+_[a-z]+\b/gu, (code) => endingText(code) ?? code);

/** @param {Record<string, unknown>} check */
export const checkName = ({ description, target, type }) =>
  plain(description || target || type) || 'A command';

/** Explains the code in the parentheses of a hold's reason. @param {string} held */
export const explainHold = (held) => explain(/\(([a-z_]{1,40}:.*)/s.exec(held)?.[1] ?? '');

/**
 * Returns `{ code, means, todo }` for a task's `error`; empty if its code is unknown.
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
