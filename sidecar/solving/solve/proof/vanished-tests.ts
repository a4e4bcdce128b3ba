/**
 * Finds tests that ran on the base and are missing in a deciding run: by name if the runner prints names, otherwise by number. New tests do
 * not replace a lost test. Pure.
 */
import type { CheckResult, VerificationReport } from '../../../base/protocol/result.ts';
import { formatCheckName, formatNames, findSameCheck } from '../../verification/correction.ts';
import type { ComparedChecks } from './changed-checks.ts';

interface Comparison extends ComparedChecks {
  /** Report of the checks on the base. */
  base: VerificationReport | undefined;
  now: VerificationReport;
  /** Whether this run may contain new tests. If so, a skipped test may be a new one. */
  hasNewTests: boolean;
  /** Returns whether a test may disappear. */
  isRemovable: (name: string) => boolean;
}

/** A reason why tests are missing, with their names, if known. */
type VanishedTests = readonly [doubt: string, names: readonly string[]];

export const findVanishedTests = (comparison: Comparison): VanishedTests[] =>
  comparison.now.checks.flatMap((check) => {
    const [doubt, names = []] = findLostTests(findSameCheck(comparison.base, check), check, comparison) ?? [];
    return doubt === undefined ? [] : [[`${doubt} (${formatCheckName(check)}).`, names]];
  });

/** Returns the last part of a test's name, without the values of a parametrised test. */
export const leafOf = (name: string): string => (name.split(/ > |::/).at(-1) ?? name).replace(/\[.*\]$/, '');

function findLostTests(
  before: CheckResult | undefined,
  now: CheckResult,
  { hasNewTests, isRemovable, checks, before: texts }: Comparison,
): [doubt: string, names?: string[]] | undefined {
  const [was, is] = [testsOf(before), testsOf(now)];
  const [runner] = checks.runnersOf(now.target);
  if (is.count === 0 && runner !== undefined && !(before?.status === 'pass' && was.count === 0))
    return [`No test was reported, although ${runner} was started`];
  const silent = (before?.essence?.not_run ?? [])
    .filter((file) => now.essence?.passing?.includes(file))
    .filter((file) => /\bnode:test\b|\b(?:test|it)\(/.test(texts.get(file) ?? ''));
  if (silent.length > 0)
    return [`These test files passed without reporting any tests: ${formatNames(silent)}`];
  if (was.names && is.names) {
    const left = [...is.names];
    const gone = was.names.filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && !isRemovable(name);
    });
    return gone.length === 0
      ? undefined
      : [`Tests that ran before the task no longer run or pass: ${formatNames(gone)}`, gone];
  }
  // A program that is not a known runner may print nothing on success.
  const isSilent = is.count === 0 && runner === undefined && was.passed === 0;
  if (isRemovable('') || isSilent) return undefined;
  if (is.count < was.count)
    return [`Fewer tests ran: ${is.count} of the ${was.count} that ran before the task`];
  if (was.count === 0 || hasNewTests || is.skipped <= was.skipped) return undefined;
  return [`More tests were skipped than before the task: ${is.skipped} instead of ${was.skipped}`];
}

/** Returns the tests that a check completed, passing or failing; `names` only if the output names each of them. */
function testsOf(check: CheckResult | undefined) {
  const { passed = 0, skipped = 0, passing = [], not_run: notRun = [] } = check?.essence ?? {};
  const { runner = 'other', failed = [] } = check?.essence ?? {};
  if (runner === 'other') return { count: 0, passed, skipped };
  const ran = failed.filter((name) => !notRun.includes(name));
  const count = Math.max(passed, passing.length) + ran.length;
  const isNamed = passing.length >= passed && passing.length + failed.length > 0;
  return { count, passed, skipped, ...(isNamed && { names: [...passing, ...ran] }) };
}
