/**
 * What the checks said, kept in the journal: they decide how a task goes on, so a task that is
 * taken up again must not be told something else by running them on later work.
 */
import type { TaskJournal } from '../ports.ts';
import type { VerificationReport } from '../protocol/result.ts';

/** The report of this run of the checks: from the journal, else made and written down. Throws `StorageError`. */
export async function recordedReport(
  journal: TaskJournal | undefined,
  runNumber: number,
  make: () => Promise<VerificationReport | undefined>,
): Promise<VerificationReport | undefined> {
  const stage = `check-${runNumber}`;
  const [past] = journal?.read(stage) ?? [];
  if (past) return past.body as VerificationReport;
  const report = await make();
  if (report) journal?.append([{ kind: 'result', stage, round: 0, call: 0, body: report }]);
  return report;
}
