/** Compares attempts at a task by the number of checks that pass. Pure. */
import type { Changes, VerificationReport } from '../../base/protocol/result.ts';

/** Changes of a task, and the last report of its checks. */
export interface WorkState {
  report: Pick<VerificationReport, 'checks'> | undefined;
  files: Changes['files'];
}

/** Returns the number of passing checks, plus a fraction for passing tests; -1 if there is no report. */
export function measureProgress(report: Pick<VerificationReport, 'checks'> | undefined): number {
  if (!report) return -1;
  const passing = report.checks.filter(({ status }) => status === 'pass').length;
  const failingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.failed.length ?? 0), 0);
  const passingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.passed ?? 0), 0);
  const share = passingTests + failingTests > 0 ? passingTests / (passingTests + failingTests + 1) : 0;
  return passing + share;
}

/**
 * Compares two work states for sorting, closest to the goal first: most passing checks, then most passing tests, then any change, then
 * fewest changed lines.
 */
export const compareProgress = (a: WorkState, b: WorkState): number =>
  measureProgress(b.report) - measureProgress(a.report) ||
  Number(b.files.length > 0) - Number(a.files.length > 0) ||
  countChangedLines(a) - countChangedLines(b);

const countChangedLines = ({ files }: WorkState): number =>
  files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
