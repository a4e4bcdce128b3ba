/**
 * How much of a long suite is run: little at a desk, more with `TEST_SCALE=ci`, all of it with `TEST_SCALE=full`, which takes
 * an hour, anything with the suite's own variable.
 */
const scale = process.env.TEST_SCALE;

export const isCi = scale === 'ci' || scale === 'full';

/** What belongs to the scale; `full` as `ci` where nothing is said of it. */
export const scaled = <T>({ quick, ci, full = ci }: { quick: T; ci: T; full?: T }): T =>
  scale === 'full' ? full : isCi ? ci : quick;

/** The count of the environment variable `name`, or the one that belongs to the scale. */
export const countOf = (name: string, counts: { quick: number; ci: number; full?: number }): number =>
  Number(process.env[name] ?? scaled(counts));
