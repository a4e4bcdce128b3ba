/** What the hub's errors set off. */
import type { HubFrame } from '../protocol/hub-frames.ts';
import type { FrameActions } from './frame-actions.ts';

type Frame<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

/** An `error` frame: about the token, a result, a frame that the hub could not read, or something that is only noted. */
export function errorReported(link: FrameActions, frame: Frame<'error'>): void {
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
  link: FrameActions,
  type: 'task_complete' | 'task_failed',
  reason: string,
  taskId: string | undefined,
): void {
  const accepted = (id: string) => link.tasks.get(id)?.accepted?.connection === link.connection;
  const wasAccepted = new Map(link.tasks.all().map((task) => [task.taskId, accepted(task.taskId)]));
  const entry = link.outgoing.delivery.refused(type, reason, taskId);
  link.log?.warn({ task_id: entry?.frame.task_id, reason }, 'The hub refused a result');
  // The public hub believes such a worker busy for ever; one that was only reconnected it does not.
  if (entry && !link.features && wasAccepted.get(entry.frame.task_id) === true) {
    link.reconnect('after a refused result the hub gives no more tasks');
    return;
  }
  link.outgoing.pump();
}

function frameRefused(link: FrameActions, { message_type: type, errors }: Frame<'error'>): void {
  link.log?.error({ type, errors }, 'The hub refused a frame as invalid');
  if (type !== 'task_complete' && type !== 'task_failed') return;
  link.outgoing.delivery.unreadable(type);
  link.outgoing.pump();
}
