/**
 * Tests of the base's run that a deciding run lacks: by name, where the runner gives names, else by number. What is neither
 * lost nor kept by its name cannot be made up for by new tests. Pure.
 */
import type { CheckResult, VerificationReport } from '../../protocol/result.ts';
import { checkName, namesOf, sameCheck } from '../../verification/correction.ts';

export interface Comparison {
  base: VerificationReport | undefined;
  now: VerificationReport;
  /** Whether new tests are among those of this run: then a skipped one need not be an old one. */
  hasNew: boolean;
  /** Whether a test may go. */
  mayGo: (name: string) => boolean;
  /** The test runners that a command starts. */
  runnersOf: (command: string) => readonly string[];
  /** Whether a path is a file that defines tests of its runner. */
  definesTests: (path: string) => boolean;
}

export interface Vanished {
  doubt: string;
  /** Names of the tests, where they are known. */
  names: string[];
}

export function vanishedTests(comparison: Comparison): Vanished[] {
  const { base, now } = comparison;
  return now.checks.flatMap((check) => lostIn(sameCheck(base, check), check, comparison));
}

function lostIn(
  before: CheckResult | undefined,
  now: CheckResult,
  { hasNew, mayGo, runnersOf, definesTests }: Comparison,
): Vanished[] {
  const [ran, runs] = [testsIn(before), testsIn(now)];
  const [runner] = runnersOf(now.target);
  const where = `(${checkName(now)})`;
  if (runs === 0 && runner !== undefined && !(before?.status === 'pass' && ran === 0))
    return [{ doubt: `No test was reported, although ${runner} was started ${where}.`, names: [] }];
  const silent = (before?.essence?.not_run ?? []).filter(
    (file) => now.essence?.passing?.includes(file) && definesTests(file),
  );
  if (silent.length > 0)
    return [
      { doubt: `These files ended without a report of their tests: ${namesOf(silent)} ${where}.`, names: [] },
    ];
  const [named, runNow] = [namesIn(before), namesIn(now)];
  if (named && runNow) {
    const left = new Map<string, number>();
    for (const name of runNow) left.set(name, (left.get(name) ?? 0) + 1);
    const gone = named.filter((name) => {
      left.set(name, (left.get(name) ?? 0) - 1);
      return (left.get(name) ?? 0) < 0 && !mayGo(name);
    });
    return gone.length === 0
      ? []
      : [
          {
            doubt: `Tests that ran before the work did not run and pass: ${namesOf(gone)} ${where}.`,
            names: gone,
          },
        ];
  }
  // Programs that are no known runner may be silent where all is well.
  const isSilent = runs === 0 && runner === undefined && (before?.essence?.passed ?? 0) === 0;
  if (mayGo('') || isSilent) return [];
  if (runs < ran)
    return [
      { doubt: `Fewer tests ran: ${runs} of the ${ran} that ran before the work ${where}.`, names: [] },
    ];
  const [skippedBefore, skipped] = [before?.essence?.skipped ?? 0, now.essence?.skipped ?? 0];
  if (ran > 0 && !hasNew && skipped > skippedBefore)
    return [
      {
        doubt: `More tests were skipped than before the work: ${skipped}, not ${skippedBefore} ${where}.`,
        names: [],
      },
    ];
  return [];
}

/** Tests that ran to an end, passing or failing. */
function testsIn(check: CheckResult | undefined): number {
  const { essence } = check ?? {};
  if (!essence || essence.runner === 'other') return 0;
  return Math.max(essence.passed ?? 0, essence.passing?.length ?? 0) + failedIn(check).length;
}

const failedIn = (check: CheckResult | undefined): string[] => {
  const { failed = [], not_run: notRun = [] } = check?.essence ?? {};
  return failed.filter((name) => !notRun.includes(name));
};

/** Names of all tests that ran; undefined if the output does not name each. */
function namesIn(check: CheckResult | undefined): string[] | undefined {
  const { essence } = check ?? {};
  if (!essence || essence.runner === 'other') return undefined;
  const { passing = [], passed = 0, failed } = essence;
  if (passing.length < passed || passing.length + failed.length === 0) return undefined;
  return [...passing, ...failedIn(check)];
}
