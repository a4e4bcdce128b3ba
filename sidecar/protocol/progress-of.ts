/** How much of a task's checks some work passes, and which of several works came closer. Pure. */
import type { Changes, VerificationReport } from './result.ts';

/** Work, and its last checks. */
export interface Work {
  report: Pick<VerificationReport, 'checks'> | undefined;
  files: Changes['files'];
}

/** More passing checks count more than any number of passing tests inside of them; -1 where nothing was checked. */
export function progressOf(report: Pick<VerificationReport, 'checks'> | undefined): number {
  if (!report) return -1;
  const passing = report.checks.filter(({ status }) => status === 'pass').length;
  const failingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.failed.length ?? 0), 0);
  const passingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.passed ?? 0), 0);
  const share = passingTests + failingTests > 0 ? passingTests / (passingTests + failingTests + 1) : 0;
  return passing + share;
}

/** For sorting, closest first: most checks, then most tests, then what changed something, then fewest changed lines. */
export const byCloseness = (a: Work, b: Work): number =>
  progressOf(b.report) - progressOf(a.report) ||
  Number(b.files.length > 0) - Number(a.files.length > 0) ||
  changedLines(a) - changedLines(b);

const changedLines = ({ files }: Work): number =>
  files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
