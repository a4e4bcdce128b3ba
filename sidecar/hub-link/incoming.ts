/**
 * The handling of each frame of the hub. Nothing here throws because of a frame; handlers of the worker are called through
 * `call`, which keeps their errors to themselves.
 */
import type { Clock, Logger } from '../ports.ts';
import type { FrameFailure } from '../protocol/frames.ts';
import { ignoredHubFrameTypes, type HubFeatures, type HubFrame } from '../protocol/hub-frames.ts';
import type { AssignedTasks } from './assigned-tasks.ts';
import type { Outgoing } from './outgoing.ts';
import type { OpenQuestions, Recoveries } from './questions.ts';
import type { HubDialect } from './hub-dialect.ts';
import type { PublicLine } from './public-hub/public-line.ts';
import { leavesWorkerBusy, withPermission } from './public-hub/rules.ts';
import type { HubLinkHandlers, HubLinkState, LinkRefusal } from './types.ts';

/** Where the hub says nothing of when to try again. */
const DEFAULT_RETRY_MS = 5_000;
/** After an abort the hub may still give the same task out again; the run goes on until then. */
const ABORT_GRACE_MS = 5_000;

type Frame<T extends HubFrame['type']> = Extract<HubFrame, { type: T }>;

/** The link, as its frames act on it. */
export interface FrameTarget {
  readonly clock: Clock;
  readonly log: Logger | undefined;
  readonly handlers: HubLinkHandlers;
  readonly state: HubLinkState;
  readonly dialect: HubDialect;
  /** Number of the connection. */
  readonly connection: number;
  readonly tasks: AssignedTasks;
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly questions: OpenQuestions;
  readonly publicLine: PublicLine;
  onIdentified(features: HubFeatures | undefined): void;
  onRateLimited(retryAfterMs: number): void;
  release(taskId: string): void;
  /** Ends the link for good. */
  refuse(refusal: LinkRefusal): void;
  reconnect(cause: string): void;
  call(work: () => void): void;
}

export function onHubFrame(link: FrameTarget, frame: HubFrame): void {
  const { handlers, publicLine } = link;
  switch (frame.type) {
    case 'identified':
      return link.onIdentified(frame.features);
    case 'message_sent':
      return publicLine.onMessageSent();
    case 'message':
      return publicLine.onMessage(frame.from);
    case 'task_assign':
      publicLine.onRegistered();
      return onAssign(link, frame);
    case 'task_ack':
      return onAck(link, frame);
    case 'task_continue':
      return onContinue(link, frame);
    case 'task_reassign':
      return onReassign(link, frame.task_id);
    case 'task_cancelled':
      return drop(link, frame.task_id);
    case 'state_report_ack':
      return onReportAnswered(link, frame);
    case 'rate_limit_warning':
      if (frame.remaining !== undefined) link.outgoing.meter.learn(frame.remaining, frame.capacity);
      return undefined;
    case 'rate_limited':
      return link.onRateLimited(frame.retry_after_ms ?? DEFAULT_RETRY_MS);
    case 'error':
      return onError(link, frame);
    case 'approval_response':
      return link.questions.answered(frame);
    case 'steer':
      return link.call(() => handlers.onSteer?.(frame.task_id, frame.text));
    case 'restart_sidecar':
      return link.call(() => handlers.onRestart?.(frame.reason ?? 'restart_sidecar'));
    case 'drain':
      return link.call(() => handlers.onDrain?.(frame.reason ?? 'drain'));
    case 'agent_left':
      return publicLine.onAgentLeft(frame.agent_id);
    case 'pong':
      return undefined;
    default:
      return frame satisfies never;
  }
}

/** A frame that could not be read: ignored, unless a task waits for an answer to it. */
export function onUnreadable(link: FrameTarget, failure: FrameFailure): void {
  const { type, code, reason, taskId, generation = 0 } = failure;
  if (code === 'unknown_type') {
    const expected = ignoredHubFrameTypes.includes(type ?? '');
    link.log?.debug({ type, expected }, 'A frame of no use to a worker');
    return;
  }
  link.log?.warn({ type, code, reason }, 'A frame of the hub cannot be read');
  if (type !== 'task_assign' || taskId === undefined) return;
  link.tasks.assigned({ task_id: taskId, generation }, link.connection);
  link.call(() => link.handlers.onInvalidAssign?.({ taskId, generation, reason }));
}

export function onAssign(link: FrameTarget, { type: _type, ...task }: Frame<'task_assign'>): void {
  const { task_id: taskId, generation } = task;
  const { log, tasks, outgoing, recoveries } = link;
  const newer = tasks.get(taskId)?.generation ?? generation;
  if (newer > generation) {
    log?.debug({ task_id: taskId, generation, newer }, 'An assignment that was replaced since');
    return;
  }
  const isAnswered = outgoing.delivery.answerAgain(taskId, generation);
  const assigned = tasks.assigned(task, link.connection);
  if (isAnswered) {
    log?.info({ task_id: taskId, generation }, 'A finished task was given out again: its result is sent');
    assigned.taken = true;
    outgoing.accept(assigned);
  } else if (recoveries.has(taskId)) recoveries.answer(taskId, { action: 'continue', generation });
  else link.call(() => link.handlers.onAssign?.(link.dialect.isPublic ? withPermission(task) : task));
}

function onAck({ tasks, outgoing }: FrameTarget, { task_id: taskId, status }: Frame<'task_ack'>): void {
  const accepted = tasks.get(taskId)?.accepted;
  if (status !== 'accepted') outgoing.delivery.acknowledged(taskId, status ?? 'acknowledged');
  else if (accepted) accepted.acknowledged = true;
  outgoing.pump();
}

function onContinue(link: FrameTarget, { task_id: taskId, generation }: Frame<'task_continue'>): void {
  const { recoveries } = link;
  if (!recoveries.has(taskId)) return;
  link.tasks.confirmed(taskId, generation ?? 0);
  // The public hub says so of tasks that anybody has; the embedded one only of this worker's.
  recoveries.continued(taskId, generation, !link.dialect.isPublic);
}

function onReassign(link: FrameTarget, taskId: string): void {
  if (link.recoveries.has(taskId)) link.recoveries.answer(taskId, { action: 'reassign' });
  else drop(link, taskId);
}

function drop(link: FrameTarget, taskId: string, generation?: number): void {
  link.release(taskId);
  link.call(() => link.handlers.onDrop?.(taskId, generation));
}

function onReportAnswered(link: FrameTarget, frame: Frame<'state_report_ack'>): void {
  const task = link.tasks.get(frame.task_id);
  if (!task) return;
  const { taskId } = task;
  // The public hub does not say which generation it means: answers come in the order of the reports.
  const oldest = task.reported.shift();
  const generation = frame.generation ?? oldest ?? task.generation;
  if (generation !== task.generation) {
    const about = { task_id: taskId, generation };
    link.log?.debug(about, 'An answer about an assignment that was replaced since');
  } else if (frame.action === 'abort') abortLater(link, taskId, generation);
  else link.outgoing.accept(task);
}

/** Waits for the assignment that may follow, then calls the worker. */
function abortLater(link: FrameTarget, taskId: string, generation: number): void {
  link.clock.schedule(ABORT_GRACE_MS, () => {
    if (link.state !== 'stopped' && link.tasks.get(taskId)?.generation === generation)
      drop(link, taskId, generation);
  });
}

/** An `error` frame: about the token, a result, a frame that the hub could not read, or something that is only noted. */
function onError(link: FrameTarget, frame: Frame<'error'>): void {
  const { error, task_id: taskId } = frame;
  if (error === 'invalid_token' || error === 'token_agent_mismatch') {
    const why =
      error === 'invalid_token' ? 'does not know this token' : 'has this token for another agent id';
    const message = `The hub ${why} (${error}); put the right token into the file or environment and start again`;
    link.refuse({ code: 'token_refused', message });
    return;
  }
  const refusal = /^task_(complete|fail)_failed: *(.*)$/s.exec(error);
  if (refusal) {
    const [, kind, reason = ''] = refusal;
    onResultRefused(link, kind === 'complete' ? 'task_complete' : 'task_failed', reason, taskId);
    return;
  }
  if (error === 'validation_failed') onFrameRefused(link, frame);
  else if (error === 'not_identified') link.reconnect('the hub forgot who we are');
  else link.log?.warn({ error, task_id: taskId }, 'The hub reports an error');
  if (error.startsWith('approval_request_failed')) link.questions.end('unsupported', taskId);
}

function onResultRefused(
  link: FrameTarget,
  type: 'task_complete' | 'task_failed',
  reason: string,
  taskId: string | undefined,
): void {
  const { log } = link;
  const { delivery } = link.outgoing;
  // Settling the result forgets its task.
  const before = new Map(link.tasks.all().map((task) => [task.taskId, { ...task }]));
  const refused = delivery.refused(type, reason, taskId)?.frame.task_id;
  // One that is moot has been logged where it was settled.
  if (refused === undefined) log?.debug({ reason }, 'The hub refused a result that is settled already');
  else if (delivery.has(refused)) {
    log?.warn({ task_id: refused, reason }, 'The hub refused a result; it is sent again');
  }
  const isBusy = refused !== undefined && leavesWorkerBusy(link, before.get(refused), reason);
  // Another result that the hub takes after this one frees the worker as well.
  if (isBusy && !delivery.wantsToSend) link.reconnect('after a refused result the hub gives no more tasks');
  else link.outgoing.pump();
}

function onFrameRefused(
  { log, outgoing }: FrameTarget,
  { message_type: type, errors }: Frame<'error'>,
): void {
  log?.error({ type, errors }, 'The hub refused a frame as invalid');
  if (type !== 'task_complete' && type !== 'task_failed') return;
  outgoing.delivery.unreadable(type);
  outgoing.pump();
}
