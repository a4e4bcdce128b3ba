/* Explains in words how a task ended, and what to do about its error. Pure. */
import { advice } from './advice.js';
import { attemptEndings, endings } from './endings.js';
import { textOf } from './lenient.js';

/**
 * Returns the table's entry for a key of any type; undefined for a key that the table only inherits.
 * @template T @param {Record<string, T>} table @param {unknown} key
 */
export const ownEntryOf = (table, key) =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns why work ended, as a part of a sentence. @param {unknown} reason */
export const describeEnding = (reason) => ownEntryOf(endings, reason);

/** Returns how an attempt ended. @param {string | null} ending */
export const describeAttemptEnding = (ending) =>
  ending === null ? 'runs' : (ownEntryOf(attemptEndings, ending) ?? replaceCodes(ending));

/** Formats a text as a sentence, with a capital letter at its start and a full stop at its end. @param {string} text */
export function formatSentence(text) {
  const capitalized = capitalize(text.trim());
  return capitalized === '' || /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

/** @param {string} text */
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Replaces codes of endings and checks in a text by words. @param {unknown} text */
export const replaceCodes = (text) =>
  textOf(text)
    .replace(
      /(^|attempt \d{1,3} did not solve the task \()([a-z_]{4,20})(?= after \d|[:;)]|$)/u,
      (_, before, code) => {
        const words = describeEnding(code) ?? code;
        return before === '' && words !== code ? capitalize(words) : `${before}${words}`;
      },
    )
    .replaceAll(/\b(?:file_exists|test_passes|file_contains|dead_letter)\b/gu, (code) =>
      code.replace('_', ' '),
    )
    .replaceAll(/\b[a-z]+_[a-z]+\b/gu, (code) => describeEnding(code) ?? code);

/** @param {Record<string, unknown>} check */
export const checkNameOf = ({ description, target, type }) =>
  replaceCodes(description || target || type) || 'A command';

/** Explains the code in the parentheses of a hold's reason. @param {string} holdReason */
export const explainHold = (holdReason) => explain(/\(([a-z_]{1,40}:.*)/s.exec(holdReason)?.[1] ?? '');

/**
 * Returns `{ code, means, todo }` for a task's `error`; empty if its code is unknown.
 * @param {string} error @returns {{ code?: string, means?: string, todo?: string }}
 */
export function explain(error) {
  const match =
    /^(?:([a-z_]{1,40}) after \d{1,9} iterations?(?:: |$))?(?:([A-Za-z_]{1,40}):)?/.exec(error) ?? [];
  const [, reason, code] = match;
  const codeAdvice = ownEntryOf(advice, code);
  if (code && codeAdvice) return { code: code, means: codeAdvice[0], todo: codeAdvice[1] };
  const means = describeEnding(reason);
  return reason && means ? { code: reason, means } : {};
}
