/**
 * How much of a long suite is run: a little in the gate, where every run is the same, or with `TEST_SCALE=full`
 * (`npm run test:long`) all of it, each time with another seed. A suite's own variables stand above both.
 */
export const isLong = process.env.TEST_SCALE === 'full';

/** What belongs to the scale. */
export const scaled = <T>({ quick, full }: { quick: T; full: T }): T => (isLong ? full : quick);

/** The count of the environment variable `name`, or the one that belongs to the scale. */
export const countOf = (name: string, counts: { quick: number; full: number }): number =>
  Number(process.env[name] ?? scaled(counts));

/** Where random runs begin: at the environment variable `name`, or where the scale has them begin. */
export const seedOf = (name: string): number =>
  Number(process.env[name] ?? scaled({ quick: 1, full: Date.now() % 1_000_000 }));
