/**
 * Everything that goes out to the hub passes here, in this order: control frames, results, resources, progress.
 * A frame is written only when the meter has room for it; what has to wait comes back by itself.
 */
import type { Clock, Logger } from '../ports.ts';
import { encodeWorkerFrame } from '../protocol/encode-frame.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { TerminalFrameInput, WorkerFrameInput } from '../protocol/worker-frames.ts';
import { isAcceptancePending, type AssignedTask, type AssignedTasks } from './assigned-tasks.ts';
import type { Connection } from './connection.ts';
import { FrameMeter, type FramePriority } from './frame-meter.ts';
import type { HubAdapter } from './hub-adapter.ts';
import { mergeEvents, ProgressBuffer } from './progress.ts';
import { TerminalDelivery } from './terminal-delivery.ts';
import type { HubLinkOptions, ResourceReport, WorkerStatus } from './types.ts';

/** Above this the network is the bottleneck, and nothing more is handed to it. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** Events wait this long for others to go in the same frame, to a hub that reads several from one. */
const EVENT_BATCH_MS = 50;

/** What the parts of a link share. */
export interface LinkParts {
  /** What its timers run keeps its errors to itself. */
  readonly clock: Clock;
  readonly log: Logger | undefined;
  readonly connection: Connection;
  readonly tasks: AssignedTasks;
  /** Runs it and keeps its errors from the socket. */
  call(work: () => void): void;
}

export class Outgoing {
  readonly #link: LinkParts;
  readonly meter: FrameMeter;
  readonly delivery: TerminalDelivery;
  readonly progress = new ProgressBuffer();
  /** The hub of a line that is open. */
  #hub: HubAdapter | undefined;
  #control: { frame: WorkerFrameInput; priority: FramePriority }[] = [];
  #resources: ResourceReport | undefined;
  #status: WorkerStatus | undefined;
  #cancelLater: () => void = () => undefined;
  #cancelBatch: (() => void) | undefined;

  constructor(link: LinkParts, { outbox, isRested }: Pick<HubLinkOptions, 'outbox' | 'isRested'>) {
    this.#link = link;
    this.meter = new FrameMeter(() => link.clock.monotonicMs(), isRested);
    this.delivery = new TerminalDelivery({
      outbox,
      clock: link.clock,
      logger: link.log,
      send: (frame) => this.#sendResult(frame),
      onUnanswered: (cause) => link.connection.reconnect(cause),
      onSettled: ({ task_id: taskId, generation }) => {
        // A newer assignment of the same task is not over.
        if ((link.tasks.get(taskId)?.generation ?? 0) <= generation) this.release(taskId);
      },
    });
  }

  /** A new line: reports how the worker is and which tasks it has. */
  open(hub: HubAdapter): void {
    this.#hub = hub;
    this.#link.tasks.onNewLine();
    this.delivery.connected();
    if (this.#status) this.setStatus(this.#status);
    this.onTick();
  }

  /** Results, events and the last resource report wait for the next line; control frames are made anew there. */
  close(): void {
    this.#hub = undefined;
    this.#control = [];
    this.#cancelLater();
  }

  /** Whether there are tasks or results: a hub that is left gives those away. */
  get isBusy(): boolean {
    return !this.delivery.isEmpty || this.#link.tasks.all().some(({ state }) => state === 'taken');
  }

  /** Says nothing more of a task. */
  release(taskId: string): void {
    this.#link.tasks.delete(taskId);
    this.progress.forget(taskId);
  }

  /** Queues a control frame; without a line it is dropped. */
  queue(frame: WorkerFrameInput, priority: FramePriority): void {
    if (!this.#hub) return;
    this.#control.push({ frame, priority });
    this.pump();
  }

  /** Sends `task_accepted`, unless the hub acknowledged that on this line already. */
  accept(task: AssignedTask): void {
    this.#queueAccepted(task);
    this.pump();
  }

  /** Only the newest report is worth sending. */
  report(resources: ResourceReport): void {
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

  /** Once a second: what was not answered is said again, and tasks that were silent show a sign of life. */
  onTick(): void {
    if (!this.#hub) return;
    for (const task of this.#link.tasks.due(this.#nowMs)) this.#say(task);
    this.pump();
  }

  /** The hub dropped a frame: it may have been any that was not answered. */
  onRateLimited(retryAfterMs: number): void {
    this.meter.block(retryAfterMs);
    this.delivery.sendAgain();
    this.#link.tasks.onFrameDropped();
  }

  addProgress(taskId: string, event: ExecutionEvent): void {
    if (this.#hub && !this.#hub.event(event)) return;
    this.progress.add(taskId, event);
    if (!this.#hub?.features.event_batch) this.pump();
    else this.#cancelBatch ??= this.#link.clock.schedule(EVENT_BATCH_MS, () => this.pump());
  }

  pump(): void {
    this.#cancelBatch?.();
    this.#cancelBatch = undefined;
    const hub = this.#hub;
    const { socket } = this.#link.connection;
    if (!hub || !socket || socket.bufferedBytes > MAX_BUFFERED_BYTES) return;
    this.#pumpControl();
    this.delivery.pump();
    if (this.#resources && this.meter.tryTake('progress')) {
      this.#write({ type: 'resource_report', ...this.#resources });
      this.#resources = undefined;
    }
    // Events mean something to the hub once it knows on this line who has the task.
    const mayGo = (task: AssignedTask | undefined) =>
      task?.state !== 'taken' || task.line.accepted !== undefined;
    const next = () => this.progress.next((taskId) => mayGo(this.#link.tasks.get(taskId)));
    for (let taskId = next(); taskId !== undefined && this.meter.tryTake('progress'); taskId = next()) {
      this.#writeProgress(taskId, hub);
    }
    this.#pumpLater();
  }

  get #nowMs(): number {
    return this.#link.clock.monotonicMs();
  }

  #queueAccepted({ taskId, line }: AssignedTask): void {
    if (!this.#hub || line.isAcknowledged) return;
    line.accepted = (line.accepted ?? 0) + 1;
    line.saidAtMs = this.#nowMs;
    this.#control.push({ frame: { type: 'task_accepted', task_id: taskId }, priority: 'terminal' });
  }

  /** Says that a running task lives, or is accepted; or asks whether the hub still has a task, where that is not known on this line. */
  #say(task: AssignedTask): void {
    const { taskId: task_id, generation, assignedAt: assigned_at, state, line } = task;
    const { progress, delivery } = this;
    line.saidAtMs = this.#nowMs;
    if (state === 'taken' && line.isAcknowledged) {
      if (!progress.has(task_id)) this.queue({ type: 'task_progress', task_id }, 'control');
    } else if (state === 'taken' && (line.accepted ?? line.asked) !== undefined) {
      if (delivery.underWay?.task_id !== task_id) this.#queueAccepted(task);
    } else if (state !== 'taken' || !delivery.get(task_id)) {
      line.asked = generation;
      if (state !== 'taken') this.queue({ type: 'task_recovering', task_id }, 'terminal');
      else
        this.queue({ type: 'state_report', task_id, status: 'working', generation, assigned_at }, 'control');
    }
  }

  #pumpControl(): void {
    for (let next = this.#control[0]; next && this.meter.tryTake(next.priority); next = this.#control[0]) {
      this.#control.shift();
      this.#write(next.frame);
    }
  }

  /** A result goes after its acceptance and after the last events of its task. */
  #sendResult(frame: TerminalFrameInput): boolean {
    const hub = this.#hub;
    if (!hub) return false;
    const { task_id: taskId, generation } = frame;
    const { tasks } = this.#link;
    if (hub.wantsAcceptance) {
      const task = tasks.get(taskId) ?? tasks.take(taskId, generation);
      if (task.line.accepted === undefined) this.#queueAccepted(task);
    }
    this.#pumpControl();
    if (this.#control.length > 0 || isAcceptancePending(tasks.get(taskId))) return false;
    if (this.meter.isLow) this.progress.dropDroppable(taskId);
    while (this.progress.has(taskId) && this.meter.tryTake('terminal')) this.#writeProgress(taskId, hub);
    if (this.progress.has(taskId) || !this.meter.tryTake('terminal')) return false;
    this.#write(hub.result(frame));
    return true;
  }

  #writeProgress(taskId: string, hub: HubAdapter): void {
    const readsBatch = hub.features.event_batch;
    const taken = this.progress.take(taskId, { oneStream: !readsBatch });
    const events = taken.flatMap((event) => hub.event(event) ?? []);
    if (events.length === 0) return;
    const event = mergeEvents(events, readsBatch);
    this.#write({ type: 'task_progress', task_id: taskId, execution_event: event });
    const line = this.#link.tasks.get(taskId)?.line;
    if (line?.isAcknowledged) line.saidAtMs = this.#nowMs;
  }

  #write(frame: WorkerFrameInput): void {
    const { text, omitted } = encodeWorkerFrame(frame, this.#hub?.features.limits?.maxFrameBytes);
    if (omitted.length > 0)
      this.#link.log?.warn({ omitted }, 'Parts of a result were left out to fit into a frame');
    this.#link.connection.socket?.send(text);
  }

  #pumpLater(): void {
    this.#cancelLater();
    const [control] = this.#control;
    const waits = [
      ...(control ? [this.meter.waitMs(control.priority)] : []),
      ...(this.delivery.next ? [this.meter.waitMs('terminal')] : []),
      ...(this.#resources || !this.progress.isEmpty ? [this.meter.waitMs('progress')] : []),
    ];
    // Never at once: what could go at once has gone, and the rest waits for something else than room.
    if (waits.length === 0) return;
    this.#cancelLater = this.#link.clock.schedule(Math.max(50, Math.min(...waits)), () => this.pump());
  }
}
