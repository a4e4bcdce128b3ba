/**
 * What each frame of the hub sets off; those about tasks and errors have a file each. Nothing here throws because of a
 * frame; handlers of the worker are called through `call`, which keeps their errors to themselves.
 */
import type { FrameFailure } from '../protocol/frames.ts';
import { ignoredHubFrameTypes, type HubFrame } from '../protocol/hub-frames.ts';
import type { Link } from './hub-link.ts';
import { errorReported } from './incoming-errors.ts';
import { acknowledged, assigned, continued, reassigned, reportAnswered } from './incoming-tasks.ts';

/** Where the hub says nothing of when to try again. */
const DEFAULT_RETRY_MS = 5_000;

export function handleHubFrame(link: Link, frame: HubFrame): void {
  switch (frame.type) {
    case 'identified':
      return link.identified(frame.features);
    case 'message_sent':
      return link.publicLine.messageSent();
    case 'message':
      return link.publicLine.messageReceived(frame.from);
    case 'task_assign':
      link.publicLine.registered();
      return assigned(link, frame);
    case 'task_ack':
      return acknowledged(link, frame);
    case 'task_continue':
      return continued(link, frame);
    case 'task_reassign':
      return reassigned(link, frame.task_id);
    case 'task_cancelled':
      link.release(frame.task_id);
      return link.call(() => link.handlers.onCancel?.(frame.task_id, frame.reason));
    case 'state_report_ack':
      return reportAnswered(link, frame);
    case 'rate_limit_warning':
      return frame.remaining === undefined
        ? undefined
        : link.outgoing.meter.learn(frame.remaining, frame.capacity);
    case 'rate_limited':
      return link.rateLimited(frame.retry_after_ms ?? DEFAULT_RETRY_MS);
    case 'error':
      return errorReported(link, frame);
    case 'approval_response':
      return link.questions.answered(frame);
    case 'steer':
      return link.call(() => link.handlers.onSteer?.(frame.task_id, frame.text));
    case 'restart_sidecar':
      return link.call(() => link.handlers.onRestart?.(frame.reason ?? 'restart_sidecar'));
    case 'drain':
      return link.call(() => {
        const { handlers } = link;
        const reason = frame.reason ?? 'drain';
        if (handlers.onDrain) handlers.onDrain(reason);
        else handlers.onRestart?.(reason);
      });
    case 'agent_left':
      return link.left(frame.agent_id);
    case 'pong':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** A frame that could not be read: ignored, unless a task waits for an answer to it. */
export function handleUnreadable(link: Link, failure: FrameFailure): void {
  const { type, code, reason, taskId, generation = 0 } = failure;
  if (code === 'unknown_type') {
    link.log?.debug(
      { type, expected: ignoredHubFrameTypes.includes(type ?? '') },
      'A frame of no use to a worker',
    );
    return;
  }
  link.log?.warn({ type, code, reason }, 'A frame of the hub cannot be read');
  if (type !== 'task_assign' || taskId === undefined) return;
  link.tasks.assigned({ task_id: taskId, generation }, link.connection);
  if (link.handlers.onInvalidAssign) {
    link.call(() => link.handlers.onInvalidAssign?.({ taskId, generation, reason }));
  } else link.fail(taskId, generation, `invalid_assignment: ${reason}`);
}
