/**
 * What each frame of the hub sets off, one function per frame. Nothing here throws because of a frame; handlers
 * of the worker are called through `call`, which keeps their errors to themselves.
 */
import type { Logger } from '../ports.ts';
import type { FrameFailure } from '../protocol/frames.ts';
import { ignoredHubFrameTypes, type HubFeatures, type HubFrame } from '../protocol/hub-frames.ts';
import type { Approvals } from './approvals.ts';
import type { AssignedTasks } from './assigned-tasks.ts';
import type { Outgoing } from './outgoing.ts';
import type { Recoveries } from './recoveries.ts';
import type { HubLinkHandlers, LinkRefusal } from './types.ts';

/** The parts of the link that frames act on. */
export interface FrameActions {
  readonly handlers: HubLinkHandlers;
  readonly features: HubFeatures | undefined;
  readonly connection: number;
  readonly nowMs: number;
  readonly log: Logger | undefined;
  readonly tasks: AssignedTasks;
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly approvals: Approvals;
  /** Runs it and keeps its errors from the socket. */
  call(work: () => void): void;
  identified(features: HubFeatures | undefined): void;
  abort(taskId: string, generation: number): void;
  release(taskId: string): void;
  rateLimited(retryAfterMs: number): void;
  refuse(refusal: LinkRefusal): void;
  reconnect(cause: string): void;
  fail(taskId: string, generation: number, error: string): void;
}
type Frame<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

/** Where the hub says nothing of when to try again. */
const DEFAULT_RETRY_MS = 5_000;

export function handleHubFrame(link: FrameActions, frame: HubFrame): void {
  switch (frame.type) {
    case 'identified':
      return link.identified(frame.features);
    case 'task_assign':
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
      return failed(link, frame);
    case 'approval_response':
      return link.approvals.answered(frame.approval_id, frame.decision, frame.text);
    case 'steer':
      return link.call(() => link.handlers.onSteer?.(frame.task_id, frame.text));
    case 'restart_sidecar':
      return link.call(() => link.handlers.onRestart?.(frame.reason ?? 'restart_sidecar'));
    case 'drain':
      return link.call(() => link.handlers.onRestart?.(frame.reason ?? 'drain'));
    case 'pong':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** A frame that could not be read: ignored, unless a task waits for an answer to it. */
export function handleUnreadable(link: FrameActions, failure: FrameFailure): void {
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

function assigned(link: FrameActions, { type: _type, ...task }: Frame<'task_assign'>): void {
  const { task_id: taskId, generation } = task;
  const known = link.tasks.get(taskId);
  if (known && known.generation > generation) {
    link.log?.debug(
      { task_id: taskId, generation, newer: known.generation },
      'An assignment that was replaced since',
    );
    return;
  }
  const answered = link.outgoing.delivery.answerAgain(taskId, generation);
  const assignment = link.tasks.assigned(task, link.connection);
  if (answered) {
    link.log?.info(
      { task_id: taskId, generation },
      'A finished task was given out again: its result is sent',
    );
    assignment.taken = true;
    link.outgoing.accept(assignment);
    link.outgoing.pump();
    return;
  }
  if (link.recoveries.has(taskId)) link.recoveries.assigned(taskId, generation);
  else link.call(() => link.handlers.onAssign?.(task));
}

function acknowledged(link: FrameActions, { task_id: taskId, status }: Frame<'task_ack'>): void {
  if (status === 'accepted') {
    const accepted = link.tasks.get(taskId)?.accepted;
    if (accepted) accepted.acknowledged = true;
    link.outgoing.pump();
    return;
  }
  link.outgoing.delivery.acknowledged(taskId, status ?? 'acknowledged');
  link.outgoing.pump();
}

function continued(link: FrameActions, { task_id: taskId, generation }: Frame<'task_continue'>): void {
  if (!link.recoveries.has(taskId)) return;
  link.tasks.confirmed(taskId, generation ?? 0);
  // The public hub says so of tasks that anybody has; the embedded one only of this worker's.
  link.recoveries.continued(taskId, generation, link.features !== undefined);
}

function reassigned(link: FrameActions, taskId: string): void {
  if (link.recoveries.has(taskId)) {
    link.recoveries.reassigned(taskId);
    return;
  }
  link.release(taskId);
  link.call(() => link.handlers.onReassign?.(taskId));
}

function reportAnswered(link: FrameActions, frame: Frame<'state_report_ack'>): void {
  const task = link.tasks.get(frame.task_id);
  if (!task) return;
  // The public hub does not say which generation it means: answers come in the order of the reports.
  const oldest = task.reported.shift();
  const generation = frame.generation ?? oldest ?? task.generation;
  if (generation !== task.generation) {
    link.log?.debug(
      { task_id: task.taskId, generation },
      'An answer about an assignment that was replaced since',
    );
    return;
  }
  if (frame.action === 'abort') {
    link.abort(task.taskId, generation);
    return;
  }
  link.outgoing.accept(task);
  link.call(() => link.handlers.onContinue?.(task.taskId, generation));
}

function failed(link: FrameActions, frame: Frame<'error'>): void {
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
  if (error.startsWith('approval_request_failed')) link.approvals.end('unsupported', frame.task_id);
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
