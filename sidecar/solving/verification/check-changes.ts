/** Compares the checks before and after the work: failed before, fixed, broken. Pure. */
import { compareTestOutcomes } from '../../parsing/test-output/compare-outcomes.ts';
import { headOf } from '../../base/values/shortening.ts';
import type { CheckComparison, CheckResult, VerificationReport } from '../../base/protocol/result.ts';
import { formatCheckName, findSameCheck } from './correction.ts';

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 200;

/** Compares the checks and tests of two runs. */
export function checkChanges(base: VerificationReport, now: VerificationReport): CheckComparison {
  const found: CheckComparison = { failed_before: [], fixed: [], broken: [] };
  for (const check of now.checks) {
    const before = findSameCheck(base, check);
    if (!before || check.status === 'skip' || before.status === 'skip') continue;
    const [hadPassed, passes] = [before.status === 'pass', check.status === 'pass'];
    if (!hadPassed) found.failed_before.push(formatCheckName(check));
    if (!hadPassed && passes) found.fixed.push(formatCheckName(check));
    if (hadPassed && !passes) found.broken.push(formatCheckName(check));
    addTests(found, before, check);
  }
  const { failed_before: failedBefore, fixed, broken } = found;
  return {
    failed_before: shortenNames(failedBefore),
    fixed: shortenNames(fixed),
    broken: shortenNames(broken),
  };
}

/** Adds tests by name, if both runs name them. */
function addTests(found: CheckComparison, before: CheckResult, { essence, status }: CheckResult): void {
  if (!before.essence || !essence || before.essence.runner === 'other') return;
  found.failed_before.push(...before.essence.failed);
  const { fixed, broken } = compareTestOutcomes(before.essence, essence);
  // A run that did not complete lists fewer failures.
  const hasEnded = status === 'pass' || (status === 'fail' && essence.runner === before.essence.runner);
  if (hasEnded) found.fixed.push(...fixed);
  found.broken.push(...broken);
}

const shortenNames = (names: readonly string[]): string[] =>
  [...new Set(names)].slice(0, MAX_NAMES).map((name) => headOf(name, MAX_NAME_CHARS));
