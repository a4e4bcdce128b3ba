/** Two essences of the same check: what got better and what got worse, by the names of the tests. Pure. */

export interface EssenceChange {
  /** Failed before, does not fail now. */
  fixed: string[];
  /** Did not fail before, fails now. */
  broken: string[];
  /** Fails as before. */
  still: string[];
  /** Errors that are new, such as of a compiler: while there are any, a test that is no longer named may not have run. */
  newErrors: string[];
}

/** An essence, or the summary of one that a report keeps. */
export interface Comparable {
  failed: readonly (string | { name: string })[];
  errors: readonly (string | { message: string })[];
}

export function compareEssence(before: Comparable, after: Comparable): EssenceChange {
  const [failedBefore, failedNow] = [names(before), names(after)];
  const known = new Set(messages(before));
  const newErrors = messages(after).filter((message) => !known.has(message));
  return {
    // A test that did not run is not fixed.
    fixed: newErrors.length > 0 ? [] : [...failedBefore].filter((name) => !failedNow.has(name)),
    broken: [...failedNow].filter((name) => !failedBefore.has(name)),
    still: [...failedNow].filter((name) => failedBefore.has(name)),
    newErrors,
  };
}

const names = ({ failed }: Comparable): Set<string> =>
  new Set(failed.map((test) => (typeof test === 'string' ? test : test.name)));

const messages = ({ errors }: Comparable): string[] =>
  errors.map((error) => (typeof error === 'string' ? error : error.message));
