/* Lenient readers, because results come from any worker: values of another type count as missing. Pure. */

/** Returns the objects of a list. @param {unknown} value @returns {Record<string, unknown>[]} */
export const recordsOf = (value) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export const isRecord = (value) => typeof value === 'object' && value !== null;

/** @param {unknown} value */
export const numberOf = (value) => (isNumber(value) ? value : 0);

/**
 * Returns a text as it is and any other value as JSON; empty if the value is missing.
 * @param {unknown} value @returns {string}
 */
export const textOf = (value) =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);

/** @param {unknown} value @returns {value is number} */
export const isNumber = (value) => Number.isFinite(value);
