/**
 * Sends all frames to the hub, in this order: control frames, results, resources, progress. A frame is written only if the meter allows it;
 * a timer tries waiting frames again.
 */
import type { Clock, Logger } from '../../base/ports.ts';
import { encodeWorkerFrame } from '../../base/protocol/encode-frame.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { TerminalFrameInput, WorkerFrameInput } from '../../base/protocol/worker-frames.ts';
import { isAcceptancePending, type AssignedTask, type AssignedTasks } from './assigned-tasks.ts';
import type { Connection } from './connection.ts';
import { FrameMeter, type FramePriority } from './frame-meter.ts';
import type { HubAdapter } from './hub-adapter.ts';
import { mergeEvents, ProgressBuffer } from './progress.ts';
import { TerminalDelivery } from './terminal-delivery.ts';
import type { HubLinkOptions, ResourceReport, WorkerStatus } from './types.ts';

/** Maximum number of bytes that wait for the network; above it, no more frames are written. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** How long an event waits for others to share its frame, if the hub reads several events from one frame. */
const EVENT_BATCH_MS = 50;

/** The shared parts of a link. */
export interface LinkParts {
  /** A clock whose timers log errors and do not throw. */
  readonly clock: Clock;
  readonly log: Logger | undefined;
  readonly connection: Connection;
  readonly tasks: AssignedTasks;
  /** Runs `work` and logs the errors that it throws. */
  runSafely(work: () => void): void;
}

export class Outgoing {
  readonly #link: LinkParts;
  readonly meter: FrameMeter;
  readonly delivery: TerminalDelivery;
  readonly progress = new ProgressBuffer();
  /** The hub of the open connection. */
  #hub: HubAdapter | undefined;
  #controlFrames: { frame: WorkerFrameInput; priority: FramePriority }[] = [];
  #resources: ResourceReport | undefined;
  #status: WorkerStatus | undefined;
  #cancelPump: () => void = () => undefined;
  /** A timer of the system, not of `clock`: events are sent soon, even if another clock is used for the limits. */
  #batchTimer: NodeJS.Timeout | undefined;

  constructor(link: LinkParts, { outbox, isBucketFull }: Pick<HubLinkOptions, 'outbox' | 'isBucketFull'>) {
    this.#link = link;
    this.meter = new FrameMeter(() => link.clock.monotonicMs(), isBucketFull);
    this.delivery = new TerminalDelivery({
      outbox,
      clock: link.clock,
      logger: link.log,
      send: (frame) => this.#sendResult(frame),
      onUnanswered: (cause) => link.connection.reconnect(cause),
      onSettled: ({ task_id: taskId, generation }) => {
        // If the task has been assigned again, the newer assignment continues.
        if ((link.tasks.get(taskId)?.generation ?? 0) <= generation) this.release(taskId);
      },
    });
  }

  /** Starts a connection: reports the worker's status and its tasks. */
  open(hub: HubAdapter): void {
    this.#hub = hub;
    this.#link.tasks.onNewConnection();
    this.delivery.onConnected();
    if (this.#status) this.setStatus(this.#status);
    this.onTick();
  }

  /**
   * Ends a connection. Results, events and the last resource report wait for the next connection, which creates its own
   * control frames.
   */
  close(): void {
    this.#hub = undefined;
    this.#controlFrames = [];
    this.#cancelPump();
  }

  /** Whether there are tasks or results, which a hub reassigns if the worker leaves. */
  get isBusy(): boolean {
    return !this.delivery.isEmpty || this.#link.tasks.list().some(({ state }) => state === 'taken');
  }

  /** Stops sending frames about a task. */
  release(taskId: string): void {
    this.#link.tasks.delete(taskId);
    this.progress.forget(taskId);
  }

  /** Queues a control frame; drops the frame if there is no connection. */
  queue(frame: WorkerFrameInput, priority: FramePriority): void {
    if (!this.#hub) return;
    this.#controlFrames.push({ frame, priority });
    this.pump();
  }

  /** Sends `task_accepted`, unless the hub acknowledged it on this connection. */
  accept(task: AssignedTask): void {
    this.#queueAccepted(task);
    this.pump();
  }

  /** Sends a resource report soon; a newer one replaces a report that waits. */
  reportResources(resources: ResourceReport): void {
    this.#resources = resources;
    this.pump();
  }

  setStatus(status: WorkerStatus): void {
    this.#status = status;
    if (!this.#hub?.features.worker_status) return;
    const { notReady: not_ready, needsModel: needs_model, notice } = status;
    const models = status.models && [...status.models];
    this.queue({ type: 'worker_status', not_ready, needs_model, notice, models }, 'control');
  }

  /** Repeats unanswered frames and sends keep-alive frames of silent tasks; called once a second. */
  onTick(): void {
    if (!this.#hub) return;
    for (const task of this.#link.tasks.listDue(this.#nowMs)) this.#sendDueFrame(task);
    this.pump();
  }

  /** Repeats unanswered frames after `retryAfterMs`: the hub dropped one of them. */
  onRateLimited(retryAfterMs: number): void {
    this.meter.block(retryAfterMs);
    this.delivery.sendAgain();
    this.#link.tasks.onFrameDropped();
  }

  addProgress(taskId: string, event: ExecutionEvent): void {
    if (this.#hub && !this.#hub.adaptEvent(event)) return;
    this.progress.add(taskId, event);
    if (!this.#hub?.features.event_batch) this.pump();
    else this.#batchTimer ??= setTimeout(() => this.#link.runSafely(() => this.pump()), EVENT_BATCH_MS);
  }

  pump(): void {
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    const hub = this.#hub;
    const { socket } = this.#link.connection;
    if (!hub || !socket || socket.bufferedBytes > MAX_BUFFERED_BYTES) return;
    this.#pumpControl();
    this.delivery.pump();
    if (this.#resources && this.meter.tryTake('progress')) {
      this.#write({ type: 'resource_report', ...this.#resources });
      this.#resources = undefined;
    }
    // The hub ignores events before the task's acceptance on this connection.
    const maySend = (task: AssignedTask | undefined) =>
      task?.state !== 'taken' || task.frames.acceptedCount !== undefined;
    const nextTaskId = () => this.progress.findNextTask((taskId) => maySend(this.#link.tasks.get(taskId)));
    for (
      let taskId = nextTaskId();
      taskId !== undefined && this.meter.tryTake('progress');
      taskId = nextTaskId()
    ) {
      this.#writeProgress(taskId, hub);
    }
    this.#schedulePump();
  }

  get #nowMs(): number {
    return this.#link.clock.monotonicMs();
  }

  #queueAccepted({ taskId, frames }: AssignedTask): void {
    if (!this.#hub || frames.isAcknowledged) return;
    frames.acceptedCount = (frames.acceptedCount ?? 0) + 1;
    frames.sentAtMs = this.#nowMs;
    this.#controlFrames.push({ frame: { type: 'task_accepted', task_id: taskId }, priority: 'terminal' });
  }

  /** Sends a keep-alive frame or the acceptance of a running task, or asks whether the hub still has the task. */
  #sendDueFrame(task: AssignedTask): void {
    const { taskId: task_id, generation, assignedAt: assigned_at, state, frames } = task;
    const { progress, delivery } = this;
    frames.sentAtMs = this.#nowMs;
    if (state === 'taken' && frames.isAcknowledged) {
      if (!progress.has(task_id)) this.queue({ type: 'task_progress', task_id }, 'control');
    } else if (state === 'taken' && (frames.acceptedCount ?? frames.askedGeneration) !== undefined) {
      if (delivery.sentFrame?.task_id !== task_id) this.#queueAccepted(task);
    } else if (state !== 'taken' || !delivery.get(task_id)) {
      frames.askedGeneration = generation;
      if (state !== 'taken') this.queue({ type: 'task_recovering', task_id }, 'terminal');
      else
        this.queue({ type: 'state_report', task_id, status: 'working', generation, assigned_at }, 'control');
    }
  }

  #pumpControl(): void {
    for (
      let next = this.#controlFrames[0];
      next && this.meter.tryTake(next.priority);
      next = this.#controlFrames[0]
    ) {
      this.#controlFrames.shift();
      this.#write(next.frame);
    }
  }

  /** Sends a result, after the acceptance and the last events of its task. Returns false if the result has to wait. */
  #sendResult(frame: TerminalFrameInput): boolean {
    const hub = this.#hub;
    if (!hub) return false;
    const { task_id: taskId, generation } = frame;
    const { tasks } = this.#link;
    if (hub.requiresAcceptance) {
      const task = tasks.get(taskId) ?? tasks.markTaken(taskId, generation);
      if (task.frames.acceptedCount === undefined) this.#queueAccepted(task);
    }
    this.#pumpControl();
    if (this.#controlFrames.length > 0 || isAcceptancePending(tasks.get(taskId))) return false;
    if (this.meter.isLow) this.progress.dropDroppable(taskId);
    while (this.progress.has(taskId) && this.meter.tryTake('terminal')) this.#writeProgress(taskId, hub);
    if (this.progress.has(taskId) || !this.meter.tryTake('terminal')) return false;
    this.#write(hub.adaptResult(frame));
    return true;
  }

  #writeProgress(taskId: string, hub: HubAdapter): void {
    const readsBatch = hub.features.event_batch;
    const bufferedEvents = this.progress.take(taskId, { isSingleStream: !readsBatch });
    const events = bufferedEvents.flatMap((event) => hub.adaptEvent(event) ?? []);
    if (events.length === 0) return;
    const event = mergeEvents(events, readsBatch);
    this.#write({ type: 'task_progress', task_id: taskId, execution_event: event });
    const frames = this.#link.tasks.get(taskId)?.frames;
    if (frames?.isAcknowledged) frames.sentAtMs = this.#nowMs;
  }

  #write(frame: WorkerFrameInput): void {
    const { text, omitted } = encodeWorkerFrame(frame, this.#hub?.features.limits?.maxFrameBytes);
    if (omitted.length > 0)
      this.#link.log?.warn({ omitted }, 'Parts of a result were omitted to fit into a frame');
    this.#link.connection.socket?.send(text);
  }

  #schedulePump(): void {
    this.#cancelPump();
    const [control] = this.#controlFrames;
    const waitTimesMs = [
      ...(control ? [this.meter.computeWaitMs(control.priority)] : []),
      ...(this.delivery.next ? [this.meter.computeWaitMs('terminal')] : []),
      ...(this.#resources || !this.progress.isEmpty ? [this.meter.computeWaitMs('progress')] : []),
    ];
    // The wait is never zero: all allowed frames have been sent, and the rest waits for something else.
    if (waitTimesMs.length === 0) return;
    this.#cancelPump = this.#link.clock.schedule(Math.max(50, Math.min(...waitTimesMs)), () => this.pump());
  }
}
