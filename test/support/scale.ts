/** How much of a long suite is run: little at a desk, more with `TEST_SCALE=ci`, anything with the suite's own variable. */
export const isCi = process.env.TEST_SCALE === 'ci';

/** The count of the environment variable `name`, or the one that belongs to the scale. */
export function countOf(name: string, { quick, ci }: { quick: number; ci: number }): number {
  return Number(process.env[name] ?? (isCi ? ci : quick));
}
