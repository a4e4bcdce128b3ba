/** What the public hub makes of answers, and what a worker therefore does in place of one. */
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
