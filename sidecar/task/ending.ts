/** How a stage of a task ended: one of a closed set of reasons, with words for people. */
import type { TerminationReason, VerificationReport } from '../protocol/result.ts';

/** Why a stage is over. */
export interface Ending {
  reason: TerminationReason;
  /** For people: what happened and, where it helps, what to do. */
  detail?: string;
  /** The final answer. */
  output?: string;
  /** The report in place of the checks', where the work was a check itself: a shell task's command. */
  report?: VerificationReport;
}
