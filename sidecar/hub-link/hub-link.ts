/**
 * The worker's line to its hub: a connection, what goes out on it, what comes in, and what the hub was asked. Decides
 * nothing about tasks. What a frame of the hub sets off is in `incoming.ts`.
 */
import type { ApprovalAnswer, ApprovalRequest, Clock, Logger } from '../ports.ts';
import { systemClock } from '../system/clock.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import { DEFAULT_FRAMES_PER_MINUTE } from '../protocol/limits.ts';
import type { OutboxEntry, Settlement } from '../storage/outbox.ts';
import { StorageError } from '../storage/storage-error.ts';
import { AssignedTasks } from './assigned-tasks.ts';
import { Connection } from './connection.ts';
import { checkHubUrl } from './hub-url.ts';
import { handleHubFrame, handleUnreadable } from './incoming.ts';
import { OpenQuestions } from './open-questions.ts';
import { Outgoing } from './outgoing.ts';
import { PublicLine } from './public-hub.ts';
import { Recoveries } from './recoveries.ts';
import { askQuestions, askRecoveries, keepUp, tellWhatIsHeld } from './upkeep.ts';
import type {
  Disconnection,
  HubLink,
  HubLinkHandlers,
  HubLinkOptions,
  HubLinkState,
  LinkRefusal,
  RecoveryAnswer,
  ResourceReport,
  WorkerStatus,
} from './types.ts';

export type * from './types.ts';

/** After an abort the hub may still give the same task out again; the run goes on so long. */
const ABORT_GRACE_MS = 5_000;
const MAX_REASON_CHARS = 500;
/** A worker that the hub drops from its register again and again connects anew no more often than this. */
const REJOIN_INTERVAL_MS = 60_000;

export function createHubLink(options: HubLinkOptions): HubLink {
  return new Link(options);
}

/** Its public members are also what the frames of the hub, and the passing of time, act on. */
export class Link implements HubLink {
  readonly #options: HubLinkOptions;
  readonly #clock: Clock;
  readonly #connection: Connection;
  readonly log: Logger | undefined;
  handlers: HubLinkHandlers = {};
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly questions: OpenQuestions;
  readonly tasks = new AssignedTasks();
  readonly publicLine: PublicLine;
  features: HubFeatures | undefined;
  #lastLoss: string | undefined;
  #status: WorkerStatus = {};
  #rejoinNotBeforeMs = 0;
  #cancelRejoin: () => void = () => undefined;

  constructor(options: HubLinkOptions) {
    const { clock = systemClock, random = Math.random, identity, logger } = options;
    this.#options = options;
    this.#clock = clock;
    this.log = logger;
    this.recoveries = new Recoveries(clock);
    this.questions = new OpenQuestions(clock);
    this.#connection = new Connection({
      identity,
      clock,
      logger,
      random,
      onFrame: (frame) => this.call(() => handleHubFrame(this, frame)),
      onUnreadable: (failure) => this.call(() => handleUnreadable(this, failure)),
      onPong: (data) => this.call(() => this.publicLine.ponged(data)),
      onTick: () => this.call(() => keepUp(this)),
      onLost: (disconnection) => this.#lost(disconnection),
    });
    this.publicLine = new PublicLine({
      agentId: identity.agentId,
      clock,
      logger,
      isBusy: () => this.#isBusy(),
      send: (text) => {
        this.outgoing.meter.tryTake('terminal');
        this.#connection.line(undefined)?.send(text);
      },
      ping: (data) => this.#connection.ping(data),
      onReady: () => this.#ready(),
      leave: (cause, forMs) => this.#connection.leave(cause, forMs),
      onDead: (cause) => this.reconnect(cause),
    });
    this.outgoing = new Outgoing({
      outbox: options.outbox,
      isRested: options.isRested,
      tasks: this.tasks,
      clock,
      logger,
      onSettled: (entry, settlement) => this.#settled(entry, settlement),
      guard: (work) => this.call(work),
    });
  }

  /** One that is left while it has tasks or results would give them away. */
  #isBusy(): boolean {
    return this.tasks.all().length > 0 || this.#options.outbox.pending().length > 0;
  }

  get whyNoTasks(): string | undefined {
    return this.publicLine.whyNoTasks;
  }

  get state(): HubLinkState {
    return this.#connection.state;
  }

  get lastLoss(): string | undefined {
    return this.#lastLoss;
  }

  /** Number of the connection. */
  get connection(): number {
    return this.#connection.number;
  }

  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  // What the worker calls.

  start(handlers: HubLinkHandlers = {}): void {
    if (this.state !== 'idle') return;
    this.handlers = handlers;
    const url = checkHubUrl(this.#options.url, this.#options.allowInsecure);
    if (url.ok) this.#connection.start(url.value);
    else {
      const { code, message } = url.failure;
      this.refuse({ code: code as LinkRefusal['code'], message, exitCode: 2 });
    }
  }

  async stop(): Promise<void> {
    const stopped = this.#connection.stop();
    this.publicLine.closed();
    this.#cancelRejoin();
    this.outgoing.stop();
    this.recoveries.stop();
    this.questions.end('stopped');
    await stopped;
  }

  accept(taskId: string, generation?: number): void {
    this.outgoing.accept(this.tasks.take(taskId, generation, this.nowMs));
  }

  release(taskId: string): void {
    this.tasks.delete(taskId);
    this.outgoing.progress.forget(taskId);
    this.questions.end('aborted', taskId);
  }

  progress(taskId: string, event: ExecutionEvent): void {
    if (this.state !== 'stopped') this.outgoing.addProgress(taskId, event);
  }

  cancelled(taskId: string, event: ExecutionEvent): void {
    if (this.state === 'stopped' || !this.features?.cancelled_costs) return;
    this.outgoing.queue({ type: 'task_progress', task_id: taskId, execution_event: event }, 'control');
  }

  flush(): void {
    this.outgoing.delivery.reload();
    this.outgoing.pump();
  }

  async flushed(): Promise<void> {
    if (this.state === 'stopped') return;
    const empty = this.outgoing.delivery.whenEmpty();
    this.outgoing.pump();
    await empty;
  }

  recovering(taskId: string, generation?: number): Promise<RecoveryAnswer> {
    if (this.state === 'stopped') return Promise.resolve({ action: 'unanswered' });
    const answer = this.recoveries.ask(taskId, generation);
    askRecoveries(this);
    return answer;
  }

  resourceReport(report: ResourceReport): void {
    this.call(() => this.outgoing.report(report));
  }

  status(status: WorkerStatus): void {
    this.#status = status;
    this.call(() => this.#tellStatus());
  }

  requestApproval(
    request: ApprovalRequest,
    wait: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<ApprovalAnswer> {
    // While the line is down nobody knows what the hub can; the next one ends the question or sends it.
    const isUp = this.state === 'ready';
    if (this.state === 'stopped') return Promise.resolve({ ok: false, reason: 'stopped' });
    if (isUp && !this.features?.approval) return Promise.resolve({ ok: false, reason: 'unsupported' });
    const answer = this.questions.ask(request, wait);
    if (isUp) this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    return answer;
  }

  // What frames of the hub set off.

  identified(features: HubFeatures | undefined): void {
    this.features = features;
    const { framesPerMinute = DEFAULT_FRAMES_PER_MINUTE } = this.#options;
    this.outgoing.meter.configure(features?.limits?.framesPerMinute ?? framesPerMinute);
    if (features) this.#ready();
    else this.publicLine.opened();
  }

  #ready(): void {
    const { features } = this;
    this.#connection.identified();
    const line = this.#connection.line(features);
    if (line) this.outgoing.open(line);
    // A new connection counts as well on the hub's side until it is told otherwise.
    if (this.#status.notReady !== undefined || this.#status.notice !== undefined) this.#tellStatus();
    tellWhatIsHeld(this);
    this.call(() => this.handlers.onConnected?.(features));
    keepUp(this);
  }

  /** Waits for the assignment that may follow, then tells the worker. */
  abort(taskId: string, generation: number): void {
    this.#clock.schedule(ABORT_GRACE_MS, () => {
      if (this.state === 'stopped' || this.tasks.get(taskId)?.generation !== generation) return;
      this.release(taskId);
      this.call(() => this.handlers.onAbort?.(taskId, generation));
    });
  }

  rateLimited(retryAfterMs: number): void {
    this.log?.warn({ retry_after_ms: retryAfterMs }, 'The hub dropped a frame: too many in a minute');
    this.outgoing.meter.block(retryAfterMs);
    this.outgoing.delivery.rateLimited();
    this.tasks.acceptAgain();
    this.recoveries.askAgain();
    askQuestions(this);
  }

  refuse(refusal: LinkRefusal): void {
    // Whoever owns the link says why, once.
    this.log?.debug({ code: refusal.code }, 'The link to the hub ends for good');
    void this.stop();
    this.call(() => this.handlers.onRefused?.(refusal));
  }

  fail(taskId: string, generation: number, error: string): void {
    this.#options.outbox.enqueue({ type: 'task_failed', task_id: taskId, generation, error });
    this.flush();
  }

  reconnect(cause: string): void {
    this.#connection.reconnect(cause);
  }

  /**
   * When an older connection of this worker is found dead, the public hub drops the worker although it is back on a newer
   * one: that line stays open and gets no task. Only a new connection brings it into the register again.
   */
  left(agentId: string | undefined): void {
    if (agentId !== this.#options.identity.agentId || this.state !== 'ready') return;
    const { connection, nowMs } = this;
    const waitMs = Math.max(0, this.#rejoinNotBeforeMs - nowMs);
    this.#cancelRejoin();
    this.#cancelRejoin = this.#clock.schedule(waitMs, () => {
      if (this.state !== 'ready' || this.connection !== connection) return;
      this.#rejoinNotBeforeMs = this.nowMs + REJOIN_INTERVAL_MS;
      this.reconnect('the hub dropped this worker from its register');
    });
  }

  /** Runs it and keeps its errors from the socket. */
  call(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log?.error({ err: error }, "Acting on the hub's words failed");
      if (error instanceof StorageError) this.handlers.onStorageFailed?.(error);
    }
  }

  #tellStatus(): void {
    if (!this.features?.worker_status) return;
    const notReady = this.#status.notReady?.slice(0, MAX_REASON_CHARS);
    const notice = this.#status.notice?.slice(0, MAX_REASON_CHARS);
    this.outgoing.queue(
      {
        type: 'worker_status',
        ...(notReady !== undefined && { not_ready: notReady }),
        ...(notice !== undefined && { notice }),
      },
      'control',
    );
  }

  #lost(disconnection: Disconnection): void {
    this.features = undefined;
    this.publicLine.closed();
    this.#lastLoss = disconnection.reason;
    this.outgoing.close();
    this.call(() => this.handlers.onDisconnected?.(disconnection));
  }

  #settled({ frame, attempts }: OutboxEntry, settlement: Settlement): void {
    const note = { task_id: frame.task_id, ...settlement };
    // The answer to an earlier sending may have been lost.
    if ('moot' in settlement && settlement.moot === 'invalid_state' && attempts > 1)
      this.log?.info(
        note,
        'The hub has this result already, or gave the task up; it stays in the local history',
      );
    else if ('moot' in settlement)
      this.log?.warn(note, 'The hub refused a result for good; it stays in the local history');
    else this.log?.info(note, 'The hub has the result');
    // A newer assignment of the same task is not over.
    if ((this.tasks.get(frame.task_id)?.generation ?? 0) <= frame.generation) this.release(frame.task_id);
  }
}
