/**
 * The frame at the end of a task. Pure: a result and a generation in, one frame out.
 */
import { MAX_FIELD_CHARS } from '../protocol/limits.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { TerminalFrameInput } from '../protocol/worker-frames.ts';

/** `task_complete` for work that can be used, `task_failed` for the rest; who sends it leaves out what its hub does not read. */
export function terminalFrame(
  { taskId, generation }: { taskId: string; generation: number },
  result: TaskResult,
): TerminalFrameInput {
  if (result.status === 'failed') {
    return { ...failedFrame({ taskId, generation }, result.error ?? result.termination_reason), result };
  }
  return {
    type: 'task_complete',
    task_id: taskId,
    generation,
    result,
    tokens_used: result.tokens_in + result.tokens_out,
    verification_report: result.verification_report,
    verification_history: result.verification_history,
  };
}

/** A refusal or a failure that has no result. `error` begins with a stable word. */
export function failedFrame(
  { taskId, generation }: { taskId: string; generation: number },
  error: string,
): Extract<TerminalFrameInput, { type: 'task_failed' }> {
  return { type: 'task_failed', task_id: taskId, generation, error: error.slice(0, MAX_FIELD_CHARS.error) };
}
