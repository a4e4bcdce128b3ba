/** Two essences of the same check: what got better and what got worse, by the names of the tests. Pure. */
import type { CheckEssence } from '../../base/protocol/result.ts';

type Compared = Pick<CheckEssence, 'failed' | 'errors'>;

/**
 * `fixed` failed before and does not fail now, `broken` fails only now, `still` fails as before. While there are new errors,
 * such as of a compiler, a test that is no longer named may not have run: none is fixed.
 */
export function compareEssence(
  before: Compared,
  after: Compared,
): Record<'fixed' | 'broken' | 'still', string[]> {
  const [failedBefore, failedNow] = [[...new Set(before.failed)], [...new Set(after.failed)]];
  const hasRun = after.errors.every((error) => before.errors.includes(error));
  return {
    fixed: hasRun ? failedBefore.filter((name) => !failedNow.includes(name)) : [],
    broken: failedNow.filter((name) => !failedBefore.includes(name)),
    still: failedNow.filter((name) => failedBefore.includes(name)),
  };
}
