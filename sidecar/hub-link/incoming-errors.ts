/** What the hub's errors set off. */
import type { HubFrame } from '../protocol/hub-frames.ts';
import type { AssignedTask } from './assigned-tasks.ts';
import type { Link } from './hub-link.ts';

type Frame<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

/** An `error` frame: about the token, a result, a frame that the hub could not read, or something that is only noted. */
export function errorReported(link: Link, frame: Frame<'error'>): void {
  const { error } = frame;
  if (error === 'invalid_token' || error === 'token_agent_mismatch') {
    const why =
      error === 'invalid_token' ? 'does not know this token' : 'has this token for another agent id';
    const message = `The hub ${why} (${error}); put the right token into the file or environment and start again`;
    link.refuse({ code: 'token_refused', message, exitCode: 4 });
    return;
  }
  const refusal = /^task_(complete|fail)_failed: *(.*)$/s.exec(error);
  if (refusal) {
    resultRefused(
      link,
      refusal[1] === 'complete' ? 'task_complete' : 'task_failed',
      refusal[2] ?? '',
      frame.task_id,
    );
    return;
  }
  if (error === 'validation_failed') frameRefused(link, frame);
  else if (error === 'not_identified') link.reconnect('the hub forgot who we are');
  else link.log?.warn({ error, task_id: frame.task_id }, 'The hub reports an error');
  if (error.startsWith('approval_request_failed')) link.questions.end('unsupported', frame.task_id);
}

function resultRefused(
  link: Link,
  type: 'task_complete' | 'task_failed',
  reason: string,
  taskId: string | undefined,
): void {
  // Settling the result forgets its task.
  const before = new Map(link.tasks.all().map((task) => [task.taskId, { ...task }]));
  const entry = link.outgoing.delivery.refused(type, reason, taskId);
  const isKept = entry !== undefined && link.outgoing.delivery.has(entry.frame.task_id);
  // One that is moot has said so where it was settled.
  if (isKept)
    link.log?.warn({ task_id: entry.frame.task_id, reason }, 'The hub refused a result; it is sent again');
  else if (!entry) link.log?.debug({ reason }, 'The hub refused a result that is settled already');
  const isBusy = entry !== undefined && staysBusy(link, before.get(entry.frame.task_id), reason);
  // Another result that the hub takes after this one frees the worker as well.
  if (isBusy && !link.outgoing.delivery.wantsToSend) {
    link.reconnect('after a refused result the hub gives no more tasks');
    return;
  }
  link.outgoing.pump();
}

/**
 * Whether the public hub now believes the worker busy for ever: where it was told that the task is accepted and has it as
 * this worker's, which of a task that was not given out on this line only a newer generation shows.
 */
function staysBusy({ features, connection }: Link, task: AssignedTask | undefined, reason: string) {
  if (features || task?.accepted?.connection !== connection) return false;
  return task.assignedOn === connection || reason === 'stale_generation';
}

function frameRefused(link: Link, { message_type: type, errors }: Frame<'error'>): void {
  link.log?.error({ type, errors }, 'The hub refused a frame as invalid');
  if (type !== 'task_complete' && type !== 'task_failed') return;
  link.outgoing.delivery.unreadable(type);
  link.outgoing.pump();
}
