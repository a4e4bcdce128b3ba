/** What the public hub makes of frames, and what a worker therefore reads and sends. */
import { mayChangeChecksSchema, type Task } from '../../protocol/task.ts';
import type { TerminalFrameInput, WorkerFrameInput } from '../../protocol/worker-frames.ts';
import { isRecord } from '../../values/json.ts';
import type { AssignedTask } from '../assigned-tasks.ts';
import type { Line } from '../connection.ts';

/** Tasks that a worker holds at most, running and waiting. This hub gives several to one where two assignments meet. */
const MAX_TASKS = 100;
const MAX_ACCEPT_ATTEMPTS = 2;

/** Why a worker takes no task: it has enough of them; it takes none at all. */
export interface Refusal {
  kind: 'busy' | 'closed';
  error: string;
}

/** The handling of a task that a worker refuses on another hub; `taken`: tasks that it holds. */
export function insteadOfRefusal({ kind }: Refusal, { taken }: { taken: number }): 'take' | 'leave' {
  return kind === 'busy' && taken < MAX_TASKS ? 'take' : 'leave';
}

/**
 * A dropped `task_accepted` that is sent again after the result would leave this hub believing the worker busy for ever; so
 * the result waits for its acknowledgement, but not for a hub that gives none.
 */
export function isAcceptancePending(task: AssignedTask | undefined, connection: number): boolean {
  const accepted = task?.accepted;
  return (
    accepted?.connection === connection && !accepted.acknowledged && accepted.attempts <= MAX_ACCEPT_ATTEMPTS
  );
}

/**
 * Whether this hub, after it refused a result, believes the worker busy for ever: where it was sent `task_accepted`
 * and has it as this worker's, which of a task that was not given out on this line only a newer generation shows.
 */
export function leavesWorkerBusy(
  { dialect, connection }: Pick<Line, 'dialect' | 'connection'>,
  task: AssignedTask | undefined,
  reason: string,
): boolean {
  if (!dialect.isPublic || task?.accepted?.connection !== connection) return false;
  return task.assignedOn === connection || reason === 'stale_generation';
}

/** Returns the task with the permission that this hub drops as a field and keeps in the metadata. */
export function withPermission<T extends Pick<Task, 'metadata' | 'may_change_checks'>>(task: T): T {
  const read = mayChangeChecksSchema.safeParse(task.metadata.may_change_checks);
  return read.success && task.may_change_checks === false ? { ...task, may_change_checks: read.data } : task;
}

/** Dollars for a million tokens of the model that this hub's page compares a local one with. */
const CLAUDE_USD = { in: 3, out: 15 } as const;

/** Returns the result with what this hub reads of it: the saved cost, and whom a follow-up has to go to. */
export function resultForPublicHub(frame: TerminalFrameInput, agentId: string): TerminalFrameInput {
  if (frame.type !== 'task_complete' || !frame.result) return frame;
  const { tokens_in: tokensIn, tokens_out: tokensOut, follow_up: followUp } = frame.result;
  const usd = (Number(tokensIn) * CLAUDE_USD.in + Number(tokensOut) * CLAUDE_USD.out) / 1e6;
  return {
    ...frame,
    result: {
      ...frame.result,
      ...(isRecord(followUp) && { follow_up: boundTo(agentId, followUp) }),
      ...(Number.isFinite(usd) && { equivalent_claude_cost_usd: usd }),
    },
  };
}

/** This hub gives a task whose metadata has `assign_to` to that worker only. */
function boundTo(agentId: string, followUp: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = followUp;
  if (!isRecord(metadata) || metadata.follow_up_needs === undefined) return followUp;
  return { ...followUp, metadata: { assign_to: agentId, ...metadata } };
}

/** Returns the event as this hub's page shows it, which appends one text to the other. */
export function eventForPublicHub<E extends NonNullable<Progress['execution_event']>>(event: E): E {
  const isStream = ['token', 'stdout', 'stderr'].includes(event.event_type);
  return isStream || event.text.endsWith('\n') ? event : { ...event, text: `${event.text}\n` };
}
type Progress = Extract<WorkerFrameInput, { type: 'task_progress' }>;
