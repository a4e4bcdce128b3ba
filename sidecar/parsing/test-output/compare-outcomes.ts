/** Compares the essences of two runs of one check by the names of their tests. Pure. */
import type { CheckEssence } from '../../base/protocol/result.ts';

type ComparableEssence = Pick<CheckEssence, 'failed' | 'errors'>;

/**
 * Compares failing tests. `fixed`: failed only before. `broken`: fail only now. `still`: failed before and fail now. If there are new
 * errors, such as compiler errors, a test that the output no longer names may not have run, so none counts as fixed.
 */
export function compareTestOutcomes(
  before: ComparableEssence,
  after: ComparableEssence,
): Record<'fixed' | 'broken' | 'still', string[]> {
  const [failedBefore, failedNow] = [[...new Set(before.failed)], [...new Set(after.failed)]];
  const hasRun = after.errors.every((error) => before.errors.includes(error));
  return {
    fixed: hasRun ? failedBefore.filter((name) => !failedNow.includes(name)) : [],
    broken: failedNow.filter((name) => !failedBefore.includes(name)),
    still: failedNow.filter((name) => failedBefore.includes(name)),
  };
}
