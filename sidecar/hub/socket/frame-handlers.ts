/** Handles a worker's frames: one function per type of frame; each answers on the session. */
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { WorkerFrame } from '../../base/protocol/frames.ts';
import type { HubFeatures } from '../../base/protocol/hub-frames.ts';
import { MAX_FRAME_IN_BYTES } from '../../base/protocol/limits.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import type { ApiContext } from '../api/context.ts';
import type { Dispatcher } from '../queue/dispatcher.ts';
import type { Leases } from '../queue/leases.ts';
import { usageOf } from '../queue/outcome.ts';
import type { Transition } from '../queue/task-queue.ts';
import type { EventLog, AssignedTask } from '../stream/event-log.ts';
import type { WorkerSession } from './worker-session.ts';

interface FrameContext extends Pick<
  ApiContext,
  'clock' | 'logger' | 'authenticator' | 'queue' | 'conversations' | 'workers'
> {
  leases: Leases;
  events: EventLog;
  dispatcher: Dispatcher;
  framesPerMinute: number;
  soleWorker: boolean;
}

/** A frame and the worker that sent it. */
interface ReceivedFrame<T extends WorkerFrame['type'] = WorkerFrame['type']> {
  context: FrameContext;
  session: WorkerSession;
  workerId: string;
  frame: Extract<WorkerFrame, { type: T }>;
}

/** Refusals caused by the worker, not by the task: another worker may run the task, and no attempt is counted. */
const WORKER_REFUSAL = /^worker_(busy|draining|disk_full|model_away|model_unfit)\b/;
/**
 * How long a worker gets no tasks after a refusal that the worker caused (`draining`: until it reconnects;
 * `model_unfit`: no pause).
 */
const BUSY_PAUSE_MS = 5_000;

/** Handles one frame. Rejects only if the database fails; the frame was not acknowledged then. */
export async function handleFrame(
  context: FrameContext,
  session: WorkerSession,
  frame: WorkerFrame,
): Promise<void> {
  if (frame.type === 'identify') return onIdentify(context, session, frame);
  if (frame.type === 'ping') return onPing(context, session);
  const workerId = session.profile?.workerId;
  if (workerId === undefined) {
    session.sendError('not_identified');
    return undefined;
  }
  await context.workers.touch(workerId);
  const sender = { context, session, workerId };
  switch (frame.type) {
    case 'task_accepted':
      return onAccepted({ ...sender, frame });
    case 'task_progress':
      return onProgress({ ...sender, frame });
    case 'task_complete':
      return onComplete({ ...sender, frame });
    case 'task_failed':
      return onFailed({ ...sender, frame });
    case 'task_recovering':
      return onRecovering({ ...sender, frame });
    case 'state_report':
      return onStateReport({ ...sender, frame });
    case 'resource_report': {
      const { type: _type, protocol_version: _version, ...resources } = frame;
      return context.workers.reportResources(workerId, resources);
    }
    case 'worker_status':
      await context.workers.setStatus(session, {
        notReady: frame.not_ready,
        needsModel: frame.needs_model,
        notice: frame.notice,
        models: frame.models,
      });
      return context.dispatcher.scheduleRun();
    case 'approval_request':
      return onApprovalRequest({ ...sender, frame });
    default:
      return frame satisfies never;
  }
}

async function onIdentify(
  context: FrameContext,
  session: WorkerSession,
  frame: ReceivedFrame<'identify'>['frame'],
): Promise<void> {
  const identity = await context.authenticator.identify(frame.token);
  if (identity?.role !== 'worker') {
    session.sendError('invalid_token');
    return;
  }
  if (identity.workerId !== null && identity.workerId !== frame.agent_id) {
    session.sendError('token_agent_mismatch');
    return;
  }
  if (session.profile && session.profile.workerId !== frame.agent_id) {
    session.sendError('already_identified');
    return;
  }
  session.unwatchToken();
  session.unwatchToken = context.authenticator.watchExpiry(identity, () => session.refuseToken());
  const earlierSession = context.workers.findSession(frame.agent_id);
  // A second `identify` on the same connection would wait for its own handling: a deadlock.
  if (earlierSession !== session) await earlierSession?.replace();
  session.profile = {
    workerId: frame.agent_id,
    name: frame.name ?? frame.agent_id,
    labels: frame.capabilities ?? [],
    models: frame.models ?? [],
    capacity: frame.capacity ?? 1,
    supportsExtensions: frame.capacity !== undefined,
    ...(frame.version !== undefined && { version: frame.version }),
    ...(frame.sandbox !== undefined && { sandbox: frame.sandbox }),
    // Stored without credentials, since every viewer sees this address.
    ...(frame.ollama_url !== undefined && { ollamaUrl: removeCredentials(frame.ollama_url) }),
  };
  const otherSession = await context.workers.connect(session, session.profile);
  await otherSession?.replace();
  await context.leases.awaitClaims(frame.agent_id, session.sessionId);
  session.send({
    type: 'identified',
    agent_id: frame.agent_id,
    features: createFeatures(context),
  });
  context.logger.info({ agentId: frame.agent_id }, 'worker connected');
  if (session.draining) session.send({ type: 'drain', reason: 'the operator drains this worker' });
  // The worker's earlier tasks are assigned again before its next frame is handled.
  await context.dispatcher.scheduleRun();
}

/** Returns the extensions of the public protocol that this hub supports; a worker uses only announced ones. */
const createFeatures = ({ framesPerMinute, soleWorker }: FrameContext): HubFeatures => ({
  capacity: true,
  approval: true,
  steer: true,
  drain: true,
  failed_result: true,
  event_batch: true,
  event_details: true,
  worker_status: !soleWorker,
  used: true,
  limits: { framesPerMinute, maxFrameBytes: MAX_FRAME_IN_BYTES },
});

async function onPing(context: FrameContext, session: WorkerSession): Promise<void> {
  session.send({ type: 'pong', timestamp: context.clock.now() });
  if (session.profile) await context.workers.touch(session.profile.workerId);
}

async function onAccepted({ context, session, workerId, frame }: ReceivedFrame<'task_accepted'>) {
  const taskId = frame.task_id;
  const transition = await context.queue.accept({ taskId, workerId }, session.sessionId);
  if (!transition.ok) {
    session.tasks.delete(taskId);
    if (transition.task?.status === 'cancelled') session.send({ type: 'task_cancelled', task_id: taskId });
    else session.send({ type: 'task_reassign', task_id: taskId });
    return;
  }
  session.tasks.set(taskId, { generation: transition.task.generation, isAccepted: true });
  session.send({ type: 'task_ack', task_id: taskId, status: 'accepted' });
  await context.conversations.deliverSteers(taskId, (text) =>
    session.send({ type: 'steer', task_id: taskId, text }),
  );
}

async function onProgress(received: ReceivedFrame<'task_progress'>): Promise<void> {
  const { context, session, workerId, frame } = received;
  const { task_id: taskId, progress: value } = frame;
  const assignedTask = session.tasks.get(taskId) ?? (await confirmClaim(received, { taskId }));
  if (!assignedTask) {
    if (await addLateUsage(received)) return;
    context.logger.debug(
      { agentId: workerId, taskId },
      'progress of a task that this worker does not run was ignored',
    );
    return;
  }
  const events = eventsOf(frame);
  session.lastCall = lastCallOf(events) ?? session.lastCall;
  context.events.recordProgress(
    { taskId, workerId, assigned: assignedTask },
    { events, ...(value !== undefined && { progress: value }) },
  );
}

/** Returns the model and the generation speed of the last ended call; undefined if no call has ended. */
function lastCallOf(events: readonly ExecutionEvent[]): WorkerSession['lastCall'] {
  const lastCallEvent = events.findLast(({ model_call: call }) => call?.phase === 'finished');
  if (!lastCallEvent) return undefined;
  const { tokens_out: tokens = 0, write_ms: ms = 0 } = lastCallEvent.model_call ?? {};
  const tokensPerSecond = tokens > 0 && ms > 0 ? Math.round((tokens / ms) * 10_000) / 10 : null;
  return { model: lastCallEvent.model ?? null, tokensPerSecond };
}

/**
 * Adds the usage from the last event of a task that the worker no longer has, because the worker sends no result for
 * this task.
 */
async function addLateUsage({ context, workerId, frame }: ReceivedFrame<'task_progress'>): Promise<boolean> {
  const used = eventsOf(frame).findLast((event) => event.used)?.used;
  if (!used) return false;
  return context.queue.addLateUsage(
    { taskId: frame.task_id, workerId },
    { usage: usageOf(used), isFromWorker: true },
  );
}

/** Returns the events of a frame in order; in a batch, the frame's own text only repeats them. */
function eventsOf({ execution_event: event }: ReceivedFrame<'task_progress'>['frame']): ExecutionEvent[] {
  if (!event) return [];
  const { events, ...single } = event;
  return events && events.length > 0 ? events : [single];
}

async function onComplete({ context, session, workerId, frame }: ReceivedFrame<'task_complete'>) {
  const { task_id: taskId, generation, result = {}, tokens_used: tokensUsed, used } = frame;
  // Queued events are stored first, so that the history has the task's last events before its end.
  await context.events.flush();
  const { verification_report: verificationReport, verification_history: history } = frame;
  const transition = await context.queue.complete(
    { taskId, workerId, generation },
    {
      result: { ...result, ...(history && { verification_history: history }) },
      tokensUsed,
      used,
      verificationReport,
    },
  );
  if (transition.ok || transition.reason === 'duplicate') {
    session.tasks.delete(taskId);
    session.send({ type: 'task_ack', task_id: taskId, status: 'complete' });
  } else refuse(session, 'task_complete_failed', taskId, transition);
}

async function onFailed({ context, session, workerId, frame }: ReceivedFrame<'task_failed'>) {
  const { task_id: taskId, generation, result, used } = frame;
  const error = frame.error ?? frame.reason ?? 'the worker gave no reason';
  const refusalReason = WORKER_REFUSAL.exec(error)?.[1];
  if (refusalReason === undefined) session.lastError = { text: error.slice(0, 500), at: context.clock.now() };
  await context.events.flush();
  const transition = await context.queue.fail({ taskId, workerId, generation }, error, {
    countsAttempt: refusalReason === undefined,
    ...((result || used) && { reported: { result, used } }),
  });
  // The worker may have been resumed since it returned an accepted task, so only the refusal of a new task marks it as
  // draining.
  if (refusalReason === 'draining') session.draining ||= session.tasks.get(taskId)?.isAccepted !== true;
  else if (refusalReason !== undefined && refusalReason !== 'model_unfit') {
    session.busyUntilMs = context.clock.now() + BUSY_PAUSE_MS;
    context.dispatcher.wakeAt(session.busyUntilMs);
  }
  if (transition.ok || transition.reason === 'duplicate') {
    const isDead = transition.task?.status === 'dead_letter';
    session.tasks.delete(taskId);
    session.send({ type: 'task_ack', task_id: taskId, status: isDead ? 'dead_letter' : 'retried' });
  } else refuse(session, 'task_fail_failed', taskId, transition);
}

function refuse(
  session: WorkerSession,
  errorCode: string,
  taskId: string,
  transition: Extract<Transition, { ok: false }>,
) {
  if (transition.task?.status !== 'assigned' && transition.task?.status !== 'running')
    session.tasks.delete(taskId);
  session.sendError(`${errorCode}: ${transition.reason}`, { task_id: taskId });
}

/**
 * Confirms an assignment of an earlier hub process that is new to this connection. Progress needs this, too: if a task
 * ended while no hub ran, its worker sends events and the result without a claim.
 */
async function confirmClaim(
  { context, session, workerId }: Omit<ReceivedFrame, 'frame'>,
  claim: { taskId: string; generation?: number },
): Promise<AssignedTask | undefined> {
  const task = await context.leases.confirm({ ...claim, workerId }, session.sessionId);
  if (!task) return undefined;
  const assigned = { generation: task.generation, isAccepted: task.status === 'running' };
  session.tasks.set(task.id, assigned);
  return assigned;
}

/** Handles a claim of a worker that was killed and restarted. */
async function onRecovering(received: ReceivedFrame<'task_recovering'>) {
  const { session } = received;
  const { task_id: taskId } = received.frame;
  const assigned = await confirmClaim(received, { taskId });
  if (assigned) session.send({ type: 'task_continue', task_id: taskId, generation: assigned.generation });
  else session.send({ type: 'task_reassign', task_id: taskId });
}

/** Handles a claim after a reconnect: an assignment of the same generation continues, any other is aborted. */
async function onStateReport(received: ReceivedFrame<'state_report'>) {
  const { task_id: taskId, generation } = received.frame;
  const assigned = await confirmClaim(received, { taskId, generation });
  received.session.send({
    type: 'state_report_ack',
    task_id: taskId,
    generation,
    action: assigned ? 'continue' : 'abort',
  });
}

async function onApprovalRequest({ context, session, workerId, frame }: ReceivedFrame<'approval_request'>) {
  const { task_id: taskId, approval_id: approvalId, kind, summary } = frame;
  const assigned = session.tasks.get(taskId);
  const request = { taskId, approvalId, kind, summary };
  const approval = assigned && (await context.conversations.request(request, workerId));
  if (!approval) {
    session.sendError('approval_request_failed: not_found', { task_id: taskId });
    return;
  }
  context.events.recordProgress({ taskId, workerId, assigned }, { events: [] });
  sendDecision(session, approval);
}

/** Sends a user's decision to the worker; does nothing if there is no decision yet. */
export function sendDecision(
  session: WorkerSession,
  approval: { task_id: string; approval_id: string; status: string; text: string | null },
): void {
  const { task_id, approval_id, status, text } = approval;
  if (status !== 'accepted' && status !== 'rejected' && status !== 'corrected') return;
  session.send({
    type: 'approval_response',
    task_id,
    approval_id,
    decision: status,
    ...(text !== null && { text }),
  });
}
