/* Results come from any worker: what does not have the expected shape counts as missing. Pure. */

/** The objects of a list. */
export const records = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

export const number = (value) => (Number.isFinite(value) ? value : 0);
