/**
 * What the checks said, kept in the journal: they decide how a task goes on, so a task that is resumed must not be told
 * something else by running them on later work.
 */
import type { TaskJournal } from '../../ports.ts';
import type { VerificationReport } from '../../protocol/result.ts';

/**
 * The report of the run of the checks that is called `stage`: from the journal, else made and written down. What was cut
 * off says nothing of the tree, and is not kept. Throws `StorageError`.
 */
export async function recordedReport(
  journal: TaskJournal | undefined,
  stage: string,
  make: () => Promise<VerificationReport | undefined>,
  { isCutOff = () => false }: { isCutOff?: () => boolean } = {},
): Promise<VerificationReport | undefined> {
  const [past] = journal?.read(stage) ?? [];
  if (past) return past.body as VerificationReport;
  const report = await make();
  if (report && !isCutOff()) journal?.append([{ kind: 'result', stage, round: 0, call: 0, body: report }]);
  return report;
}
