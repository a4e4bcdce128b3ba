/** How much of a task's checks some work passes, as one number to compare by. Pure. */
import type { VerificationReport } from './result.ts';

/** More passing checks count more than any number of passing tests inside of them; -1 where nothing was checked. */
export function progressOf(report: Pick<VerificationReport, 'checks'> | undefined): number {
  if (!report) return -1;
  const passing = report.checks.filter(({ status }) => status === 'pass').length;
  const failingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.failed.length ?? 0), 0);
  const passingTests = report.checks.reduce((sum, { essence }) => sum + (essence?.passed ?? 0), 0);
  const share = passingTests + failingTests > 0 ? passingTests / (passingTests + failingTests + 1) : 0;
  return passing + share;
}
