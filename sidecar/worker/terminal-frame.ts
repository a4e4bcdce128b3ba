/** Builds the frame at the end of a task from a result and a generation. */
import { MAX_FIELD_CHARS } from '../base/protocol/limits.ts';
import type { UsageReport } from '../base/protocol/events.ts';
import type { TaskResult } from '../base/protocol/result.ts';
import type { TerminalFrameInput } from '../base/protocol/worker-frames.ts';

interface EndedAssignment {
  taskId: string;
  generation: number;
  /** Usage by the ledger, over all attempts on this worker. */
  used?: UsageReport | undefined;
}

/** Returns `task_complete` for usable work, `task_failed` otherwise; the sender omits fields that its hub does not read. */
export function buildTerminalFrame(assignment: EndedAssignment, result: TaskResult): TerminalFrameInput {
  const { taskId, generation, used } = assignment;
  if (result.status === 'failed') {
    return { ...buildFailedFrame(assignment, result.error ?? result.termination_reason), result };
  }
  return {
    type: 'task_complete',
    task_id: taskId,
    generation,
    result,
    tokens_used: result.tokens_in + result.tokens_out,
    verification_report: result.verification_report,
    verification_history: result.verification_history,
    ...(used && { used }),
  };
}

/** Returns `task_failed` for a refusal or a failure without a result. `error` begins with a stable word. */
export function buildFailedFrame(
  { taskId, generation, used }: EndedAssignment,
  error: string,
): Extract<TerminalFrameInput, { type: 'task_failed' }> {
  const reason = error.slice(0, MAX_FIELD_CHARS.error);
  return { type: 'task_failed', task_id: taskId, generation, error: reason, ...(used && { used }) };
}
