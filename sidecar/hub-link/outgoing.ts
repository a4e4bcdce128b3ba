/**
 * Everything that goes out to the hub passes here, in this order: control frames, results, resources, progress.
 * A frame is written only when the meter has room for it; what has to wait comes back by itself.
 */
import type { Clock, Logger } from '../ports.ts';
import { encodeWorkerFrame } from '../protocol/encode-frame.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';
import type { Outbox, OutboxEntry } from '../storage/outbox.ts';
import type { AssignedTask, AssignedTasks } from './assigned-tasks.ts';
import type { Line } from './connection.ts';
import type { HubDialect } from './hub-dialect.ts';
import { FrameMeter, type FramePriority } from './frame-meter.ts';
import { mergeEvents, ProgressBuffer } from './progress.ts';
import { eventForPublicHub, isAcceptancePending, resultForPublicHub } from './public-hub/rules.ts';
import { TerminalDelivery } from './terminal-delivery.ts';
import type { ResourceReport, WorkerStatus } from './types.ts';

/** Above this the network is the bottleneck, and nothing more is handed to it. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 500;
const MAX_MODELS = 1024;

export interface OutgoingOptions {
  agentId: string;
  outbox: Outbox;
  tasks: AssignedTasks;
  clock: Clock;
  logger: Logger | undefined;
  onSettled: (frame: OutboxEntry['frame']) => void;
  /** See `HubLinkOptions`. */
  isRested: boolean | undefined;
  /** Runs what a timer sets off; a failing disk is reported and not thrown. */
  guard: (work: () => void) => void;
}

/** Calls of the model go to the own hub only: others show each text on a line of its own, and these would hide what the task does. */
const isForOwnHub = ({ model_call: call }: ExecutionEvent): boolean => call !== undefined;

/** Without what the hub has not announced. */
const readable = (
  { used, details, ...event }: ExecutionEvent,
  { readsUsed, readsDetails }: HubDialect,
): ExecutionEvent => ({
  ...event,
  ...(used && readsUsed && { used }),
  ...(details && readsDetails && { details }),
});

export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly meter: FrameMeter;
  readonly delivery: TerminalDelivery;
  readonly progress = new ProgressBuffer();
  #line: Line | undefined;
  #control: { frame: WorkerFrameInput; priority: FramePriority }[] = [];
  #resources: ResourceReport | undefined;
  #status: WorkerStatus = {};
  #cancelLater: () => void = () => undefined;
  #turnEnds: NodeJS.Immediate | undefined;

  constructor(options: OutgoingOptions) {
    const { clock, isRested } = options;
    this.#options = options;
    this.meter = new FrameMeter(() => clock.monotonicMs(), isRested);
    this.delivery = new TerminalDelivery({ ...options, send: (entry) => this.#sendResult(entry) });
  }

  /** A new line: reports how the worker is and which tasks it has. */
  open(line: Line): void {
    this.#line = line;
    this.delivery.connected();
    // A new connection counts as well on the hub's side until a status says otherwise.
    const { notReady, notice, models } = this.#status;
    if (notReady !== undefined || notice !== undefined || models !== undefined) this.#sendStatus();
    for (const task of this.#options.tasks.all()) {
      if (task.taken && !this.delivery.has(task.taskId)) this.#reportState(task);
    }
  }

  /** Results, events and the last resource report wait for the next line; control frames are made anew there. */
  close(): void {
    this.#line = undefined;
    this.#control = [];
    this.#cancelLater();
    this.delivery.disconnected();
  }

  /** Nothing goes out any more; whoever waits for an empty outbox waits no longer. */
  stop(): void {
    this.close();
    this.delivery.stop();
  }

  /** Queues a control frame; without a line it is dropped. */
  queue(frame: WorkerFrameInput, priority: FramePriority): void {
    if (!this.#line) return;
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
    this.#sendStatus();
  }

  /** Once a second: acceptances that were not answered are sent again, and tasks that were silent show a sign of life. */
  onTick(): void {
    const { tasks } = this.#options;
    const { connection = 0 } = this.#line ?? {};
    for (const task of tasks.toAccept(connection, this.#nowMs)) {
      if (!this.delivery.isUnderWay(task.taskId)) this.#queueAccepted(task);
    }
    for (const { taskId } of tasks.silent(connection, this.#nowMs)) {
      if (!this.progress.has(taskId)) this.queue({ type: 'task_progress', task_id: taskId }, 'control');
      tasks.signed(taskId, this.#nowMs);
    }
    this.pump();
  }

  /** The hub dropped a frame: it may have been any that was not answered. */
  onRateLimited(retryAfterMs: number): void {
    this.meter.block(retryAfterMs);
    this.delivery.rateLimited();
    this.#options.tasks.acceptAgain();
  }

  /** Events of one turn of the event loop go in one frame, where the hub reads several from one. */
  addProgress(taskId: string, event: ExecutionEvent): void {
    const readsBatch = this.#line?.dialect.readsEventBatch;
    if (readsBatch === false && isForOwnHub(event)) return;
    this.progress.add(taskId, event);
    if (!readsBatch) this.pump();
    else this.#turnEnds ??= setImmediate(() => this.#options.guard(() => this.pump()));
  }

  pump(): void {
    clearImmediate(this.#turnEnds);
    this.#turnEnds = undefined;
    const line = this.#line;
    if (!line || line.socket.bufferedBytes > MAX_BUFFERED_BYTES) return;
    this.#pumpControl();
    this.delivery.pump();
    if (this.#resources && this.meter.tryTake('progress')) {
      this.#write({ type: 'resource_report', ...this.#resources });
      this.#resources = undefined;
    }
    this.#pumpProgress(line);
    this.#pumpLater();
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  #queueAccepted(task: AssignedTask): void {
    const { accepted } = task;
    const line = this.#line;
    if (!line || (accepted?.connection === line.connection && accepted.acknowledged)) return;
    const attempts = accepted?.connection === line.connection ? accepted.attempts + 1 : 1;
    task.accepted = { connection: line.connection, sentAtMs: this.#nowMs, acknowledged: false, attempts };
    this.#control.push({ frame: { type: 'task_accepted', task_id: task.taskId }, priority: 'terminal' });
  }

  #sendStatus(): void {
    if (!this.#line?.dialect.readsStatus) return;
    const notReady = this.#status.notReady?.slice(0, MAX_REASON_CHARS);
    const notice = this.#status.notice?.slice(0, MAX_REASON_CHARS);
    const models = this.#status.models?.slice(0, MAX_MODELS);
    this.queue({ type: 'worker_status', not_ready: notReady, notice, models }, 'control');
  }

  #reportState(task: AssignedTask): void {
    const { taskId: task_id, generation, assignedAt: assigned_at } = task;
    task.reported.push(generation);
    task.reportedAtMs = this.#nowMs;
    const when = assigned_at === undefined ? {} : { assigned_at };
    this.queue({ type: 'state_report', task_id, status: 'working', generation, ...when }, 'control');
  }

  #pumpControl(): void {
    for (let next = this.#control[0]; next && this.meter.tryTake(next.priority); next = this.#control[0]) {
      this.#control.shift();
      this.#write(next.frame);
    }
  }

  /** A result goes after its acceptance and after the last events of its task. */
  #sendResult({ frame: kept }: OutboxEntry): boolean {
    const line = this.#line;
    if (!line) return false;
    const frame = line.dialect.isPublic ? resultForPublicHub(kept, this.#options.agentId) : kept;
    const { task_id: taskId } = frame;
    const task = line.dialect.isPublic ? this.#acceptFirst(frame, line) : this.#options.tasks.get(taskId);
    this.#pumpControl();
    if (this.#control.length > 0 || isAcceptancePending(task, line.connection)) return false;
    if (this.meter.isLow) this.progress.dropDroppable(taskId);
    while (this.progress.has(taskId) && this.meter.tryTake('terminal')) this.#writeProgress(taskId, line);
    if (this.progress.has(taskId) || !this.meter.tryTake('terminal')) return false;
    const readsIt = frame.type === 'task_complete' || line.dialect.readsFailedResult;
    const used = line.dialect.readsUsed ? frame.used : undefined;
    this.#write(readsIt ? { ...frame, used } : { ...frame, result: undefined, used });
    return true;
  }

  /**
   * The public hub keeps a worker that ends a task it has not accepted on this line from others for a minute. Also where
   * the result is of an earlier line, or of an earlier run.
   */
  #acceptFirst({ task_id: taskId, generation }: OutboxEntry['frame'], line: Line): AssignedTask {
    const { tasks } = this.#options;
    const task = tasks.get(taskId) ?? tasks.take(taskId, generation, this.#nowMs);
    if (task.accepted?.connection !== line.connection) this.#queueAccepted(task);
    return task;
  }

  #pumpProgress(line: Line): void {
    const { connection } = line;
    const next = () => this.progress.next((taskId) => this.#options.tasks.mayReport(taskId, connection));
    for (let taskId = next(); taskId !== undefined && this.meter.tryTake('progress'); taskId = next()) {
      this.#writeProgress(taskId, line);
    }
  }

  #writeProgress(taskId: string, { dialect }: Line): void {
    const eventBatch = dialect.readsEventBatch;
    const taken = this.progress.take(taskId, { oneStream: !eventBatch });
    const read = taken.map((event) => readable(event, dialect));
    const events = eventBatch ? read : read.filter((event) => !isForOwnHub(event));
    if (events.length === 0) return;
    const merged = mergeEvents(events, eventBatch);
    const event = dialect.isPublic ? eventForPublicHub(merged) : merged;
    this.#write({ type: 'task_progress', task_id: taskId, execution_event: event });
    this.#options.tasks.signed(taskId, this.#nowMs);
  }

  #write(frame: WorkerFrameInput): void {
    const { text, omitted } = encodeWorkerFrame(frame, this.#line?.dialect.maxFrameBytes);
    if (omitted.length > 0) {
      this.#options.logger?.warn({ omitted }, 'Parts of a result were left out to fit into a frame');
    }
    this.#line?.socket.send(text);
  }

  #pumpLater(): void {
    this.#cancelLater();
    const [control] = this.#control;
    const waits = [
      ...(control ? [this.meter.waitMs(control.priority)] : []),
      ...(this.delivery.wantsToSend ? [this.meter.waitMs('terminal')] : []),
      ...(this.#resources || !this.progress.isEmpty ? [this.meter.waitMs('progress')] : []),
    ];
    // Never at once: what could go at once has gone, and the rest waits for something else than room.
    if (waits.length > 0) {
      this.#cancelLater = this.#options.clock.schedule(Math.max(50, Math.min(...waits)), () =>
        this.#options.guard(() => this.pump()),
      );
    }
  }
}
