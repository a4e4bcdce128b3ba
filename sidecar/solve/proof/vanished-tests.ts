/**
 * Tests of the base's run that a deciding run lacks: by name, where the runner gives names, else by number. What is neither
 * lost nor kept by its name cannot be made up for by new tests. Pure.
 */
import type { CheckResult, VerificationReport } from '../../protocol/result.ts';
import { checkName, namesOf, sameCheck } from '../../verification/correction.ts';
import type { ChecksOfBase } from './check-files.ts';

export interface Comparison {
  base: VerificationReport | undefined;
  now: VerificationReport;
  /** Whether new tests are among those of this run: then a skipped one need not be an old one. */
  hasNew: boolean;
  /** Whether a test may go. */
  mayGo: (name: string) => boolean;
  checks: Pick<ChecksOfBase, 'runnersOf'>;
  /** Texts of the base. */
  before: ReadonlyMap<string, string>;
}

export interface Vanished {
  doubt: string;
  /** Names of the tests, where they are known. */
  names: string[];
}

export const vanishedTests = (comparison: Comparison): Vanished[] =>
  comparison.now.checks.flatMap((check) => {
    const { text, names = [] } = lostIn(sameCheck(comparison.base, check), check, comparison) ?? {};
    return text === undefined ? [] : [{ doubt: `${text} (${checkName(check)}).`, names }];
  });

/** Why tests are missing; undefined if none is. */
function lostIn(
  before: CheckResult | undefined,
  now: CheckResult,
  { hasNew, mayGo, checks, before: texts }: Comparison,
): { text: string; names?: string[] } | undefined {
  const [ran, runs] = [testsIn(before), testsIn(now)];
  const [runner] = checks.runnersOf(now.target);
  if (runs === 0 && runner !== undefined && !(before?.status === 'pass' && ran === 0))
    return { text: `No test was reported, although ${runner} was started` };
  const silent = (before?.essence?.not_run ?? [])
    .filter((file) => now.essence?.passing?.includes(file))
    .filter((file) => /\bnode:test\b|\b(?:test|it)\(/.test(texts.get(file) ?? ''));
  if (silent.length > 0)
    return { text: `These files ended without a report of their tests: ${namesOf(silent)}` };
  const [named, namedNow] = [namesIn(before), namesIn(now)];
  if (named && namedNow) {
    const left = [...namedNow];
    const gone = named.filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && !mayGo(name);
    });
    const text = `Tests that ran before the work did not run and pass: ${namesOf(gone)}`;
    return gone.length === 0 ? undefined : { text, names: gone };
  }
  // Programs that are no known runner may be silent where all is well.
  const isSilent = runs === 0 && runner === undefined && (before?.essence?.passed ?? 0) === 0;
  if (mayGo('') || isSilent) return undefined;
  if (runs < ran) return { text: `Fewer tests ran: ${runs} of the ${ran} that ran before the work` };
  const [skippedBefore, skipped] = [before?.essence?.skipped ?? 0, now.essence?.skipped ?? 0];
  if (ran === 0 || hasNew || skipped <= skippedBefore) return undefined;
  return { text: `More tests were skipped than before the work: ${skipped}, not ${skippedBefore}` };
}

const essenceOf = ({ essence }: Partial<CheckResult>) => (essence?.runner === 'other' ? undefined : essence);

const failedIn = (check: CheckResult | undefined): string[] => {
  const { failed = [], not_run: notRun = [] } = essenceOf(check ?? {}) ?? {};
  return failed.filter((name) => !notRun.includes(name));
};

/** Tests that ran to an end, passing or failing. */
function testsIn(check: CheckResult | undefined): number {
  const { passed = 0, passing = [] } = essenceOf(check ?? {}) ?? {};
  return Math.max(passed, passing.length) + failedIn(check).length;
}

/** Names of all tests that ran; undefined if the output does not name each. */
function namesIn(check: CheckResult | undefined): string[] | undefined {
  const { passing = [], passed = 0, failed = [] } = essenceOf(check ?? {}) ?? {};
  if (passing.length < passed || passing.length + failed.length === 0) return undefined;
  return [...passing, ...failedIn(check)];
}
