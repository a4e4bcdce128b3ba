/**
 * Handles each frame of the hub. Frames cause no exceptions: the worker's handlers are called through `runSafely`,
 * which logs their errors.
 */
import type { FrameFailure } from '../../base/protocol/frames.ts';
import type { HubFeatures, HubFrame } from '../../base/protocol/hub-frames.ts';
import { applyMetadataPermission } from '../../base/protocol/task.ts';
import type { HubAdapter } from './hub-adapter.ts';
import type { LinkParts, Outgoing } from './outgoing.ts';
import type { OpenQuestions } from './questions.ts';
import type { HubLinkHandlers, LinkRefusal } from './types.ts';

/** Wait after `rate_limited` if the hub does not report how long to wait. */
const DEFAULT_RETRY_MS = 5_000;
/**
 * How long a running task continues after the hub no longer assigns it to this worker, since it may be assigned again.
 */
const DROP_GRACE_MS = 5_000;

type FrameOf<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

/** The parts of the link that the handlers of frames use. */
export interface LinkTarget extends LinkParts {
  readonly handlers: HubLinkHandlers;
  readonly hub: HubAdapter;
  readonly outgoing: Outgoing;
  readonly questions: OpenQuestions;
  onIdentified(features: HubFeatures | undefined): void;
  /** Ends the link permanently. */
  refuse(refusal: LinkRefusal): void;
}

export function onHubFrame(link: LinkTarget, frame: HubFrame): void {
  const { handlers } = link;
  link.hub.onFrame(frame);
  switch (frame.type) {
    case 'identified':
      return link.onIdentified(frame.features);
    case 'task_assign':
      return onAssign(link, frame);
    case 'task_ack':
      return onAck(link, frame);
    case 'task_continue':
      return onContinue(link, frame);
    case 'task_reassign':
    case 'task_cancelled':
      return drop(link, frame.task_id);
    case 'state_report_ack':
      return onStateReportAck(link, frame);
    case 'rate_limit_warning':
      if (frame.remaining !== undefined) link.outgoing.meter.adoptFigures(frame.remaining, frame.capacity);
      return undefined;
    case 'rate_limited':
      return onRateLimited(link, frame.retry_after_ms ?? DEFAULT_RETRY_MS);
    case 'error':
      return onError(link, frame);
    case 'approval_response':
      return link.questions.onAnswer(frame);
    case 'steer':
      return link.runSafely(() => handlers.onSteer?.(frame.task_id, frame.text));
    case 'restart_sidecar':
      return link.runSafely(() => handlers.onRestart?.(frame.reason ?? 'restart_sidecar'));
    case 'drain':
      return link.runSafely(() => handlers.onDrain?.(frame.reason ?? 'drain'));
    case 'agent_left':
    case 'message':
    case 'message_sent':
    case 'pong':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** Handles a frame that could not be parsed: ignores it, unless it is an assignment, which must be answered. */
export function onUnreadable(link: LinkTarget, failure: FrameFailure): void {
  const { type, code, reason, taskId, generation = 0 } = failure;
  if (code === 'unknown_type') {
    link.log?.debug({ type }, 'Ignored a frame that workers do not use');
    return;
  }
  link.log?.warn({ type, code, reason }, 'A frame from the hub could not be parsed');
  if (type !== 'task_assign' || taskId === undefined) return;
  link.tasks.recordAssignment({ task_id: taskId, generation });
  link.runSafely(() => link.handlers.onInvalidAssign?.({ taskId, generation, reason }));
}

export function onAssign(link: LinkTarget, { type: _type, ...task }: FrameOf<'task_assign'>): void {
  const { task_id: taskId, generation } = task;
  const { log, tasks, outgoing } = link;
  const newestGeneration = tasks.get(taskId)?.generation ?? generation;
  if (newestGeneration > generation) {
    log?.debug(
      { task_id: taskId, generation, newer: newestGeneration },
      'Ignored an assignment that a newer one replaced',
    );
    return;
  }
  const isAnswered = outgoing.delivery.resendResult(taskId, generation);
  const assigned = tasks.recordAssignment(task);
  if (!isAnswered) {
    link.runSafely(() => link.handlers.onAssign?.(applyMetadataPermission(task)));
    return;
  }
  log?.info({ task_id: taskId, generation }, 'The hub assigned a finished task again: resending its result');
  assigned.state = 'taken';
  outgoing.accept(assigned);
}

function onAck({ tasks, outgoing }: LinkTarget, { task_id: taskId, status }: FrameOf<'task_ack'>): void {
  const frames = tasks.get(taskId)?.frames;
  if (status !== 'accepted') outgoing.delivery.onAcknowledged(taskId, status ?? 'acknowledged');
  else if (frames?.acceptedCount !== undefined) frames.isAcknowledged = true;
  outgoing.pump();
}

/** Handles the hub's answer that a task of an earlier run is still assigned. Only an assignment can confirm a newer generation. */
function onContinue(link: LinkTarget, { task_id: taskId, generation }: FrameOf<'task_continue'>): void {
  const task = link.tasks.get(taskId);
  if (task?.state !== 'recovering') return;
  const current = generation ?? task.generation;
  if (current > task.generation && !link.hub.confirmsOwnTasks) {
    dropLater(link, taskId, task.generation);
    return;
  }
  link.tasks.delete(taskId);
  link.runSafely(() => link.handlers.onContinue?.(taskId, current));
}

/** Drops a task. For a task of an earlier run, the default of `generation` is the one that the hub was asked about. */
function drop(link: LinkTarget, taskId: string, generation?: number): void {
  const task = link.tasks.get(taskId);
  const askedGeneration = task?.state === 'recovering' ? task.generation : undefined;
  link.outgoing.release(taskId);
  link.runSafely(() => link.handlers.onDrop?.(taskId, generation ?? askedGeneration));
}

/** Drops a task after a delay, unless a newer assignment of the task arrives in the meantime. */
function dropLater(link: LinkTarget, taskId: string, generation: number): void {
  link.clock.schedule(DROP_GRACE_MS, () => {
    const isSame = link.tasks.get(taskId)?.generation === generation;
    if (isSame && link.connection.state !== 'stopped') drop(link, taskId, generation);
  });
}

function onStateReportAck(link: LinkTarget, frame: FrameOf<'state_report_ack'>): void {
  const { task_id: taskId, action } = frame;
  const task = link.tasks.get(taskId);
  if (!task) return;
  // The public hub does not name the generation.
  const generation = frame.generation ?? task.frames.askedGeneration ?? task.generation;
  delete task.frames.askedGeneration;
  // An answer about another generation is about an assignment that has been replaced since.
  if (generation !== task.generation) return;
  if (action === 'abort') dropLater(link, taskId, generation);
  else link.outgoing.accept(task);
}

/** Handles `rate_limited`: the hub dropped a frame, which may be any unanswered one. */
function onRateLimited(link: LinkTarget, retryAfterMs: number): void {
  link.log?.warn(
    { retry_after_ms: retryAfterMs },
    'The hub dropped a frame: this worker sent too many in one minute',
  );
  link.outgoing.onRateLimited(retryAfterMs);
  askQuestions(link);
}

/** Asks open questions to users again. For a hub without approvals, ends them. */
export function askQuestions({ hub, questions, outgoing }: LinkTarget): void {
  if (!hub.features.approval) questions.end('unsupported');
  for (const request of questions.list()) outgoing.queue({ type: 'approval_request', ...request }, 'control');
}

/** Handles an `error` frame: about the token, a result, a frame that the hub could not read, or anything else, which is only logged. */
function onError(link: LinkTarget, frame: FrameOf<'error'>): void {
  const { error, task_id: taskId } = frame;
  const refusedReason = /^task_(?:complete|fail)_failed: *(.*)$/s.exec(error)?.[1];
  if (error === 'invalid_token' || error === 'token_agent_mismatch') {
    const cause =
      error === 'invalid_token' ? 'does not accept this token' : 'issued this token for another agent id';
    const message = `The hub ${cause} (${error}); set the correct token in the token file or SIDECAR_TOKEN, and restart the worker`;
    link.refuse({ code: 'token_refused', message });
  } else if (refusedReason !== undefined) onResultRefused(link, refusedReason);
  else if (error === 'validation_failed') onFrameRefused(link, frame);
  else if (error === 'not_identified')
    link.connection.reconnect('the hub no longer recognizes this connection (not_identified)');
  else link.log?.warn({ error, task_id: taskId }, 'The hub reported an error');
  if (error.startsWith('approval_request_failed')) link.questions.end('unsupported', taskId);
}

function onResultRefused({ hub, tasks, outgoing, connection, log }: LinkTarget, reason: string): void {
  const { delivery } = outgoing;
  const { task_id: taskId = '' } = delivery.sentFrame ?? {};
  if (!delivery.sentFrame) log?.debug({ reason }, 'The hub refused a result that is already final');
  const countsAsBusy = hub.countsAsBusy(tasks.get(taskId), reason);
  delivery.onRefused(reason);
  // If another result waits, the connection stays: a later result that the hub accepts frees the worker as well.
  if (countsAsBusy && !delivery.next)
    connection.reconnect('the hub refused a result and assigns no more tasks on this connection');
  else outgoing.pump();
}

function onFrameRefused(
  { log, outgoing }: LinkTarget,
  { message_type: type, errors }: FrameOf<'error'>,
): void {
  log?.error({ type, errors }, 'The hub refused a frame as invalid');
  if (type !== outgoing.delivery.sentFrame?.type) return;
  outgoing.delivery.onUnreadable();
  outgoing.pump();
}
