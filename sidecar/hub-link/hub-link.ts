/**
 * The worker's line to its hub. `state` changes only in `#enter`:
 *
 *   idle → connecting → ready → waiting → connecting …    a lost or refused connection is tried again
 *   any → stopped                                         `stop`, a refused token, a forbidden address
 *
 * This file holds the connection; outgoing.ts what is sent, incoming.ts what is received.
 */
import type { Clock, Logger } from '../ports.ts';
import { systemClock } from '../system/clock.ts';
import { encodeWorkerFrame } from '../protocol/encode-frame.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import { DEFAULT_FRAMES_PER_MINUTE } from '../protocol/limits.ts';
import { StorageError } from '../storage/storage-error.ts';
import { Approvals } from './approvals.ts';
import { AssignedTasks, type Assignment } from './assigned-tasks.ts';
import { backoffMs, cooldownMs } from './backoff.ts';
import { HubSocket } from './hub-socket.ts';
import { checkHubUrl } from './hub-url.ts';
import { identifyFrame } from './identify.ts';
import { handleHubFrame, handleUnreadable, type FrameActions } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import { Recoveries } from './recoveries.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  HubLink,
  HubLinkHandlers,
  HubLinkOptions,
  HubLinkState,
  LinkRefusal,
  LinkStats,
  RecoveryAnswer,
  ResourceReport,
} from './types.ts';

export type * from './types.ts';

const IDENTIFY_TIMEOUT_MS = 15_000;
const TICK_MS = 1_000;
/** After an abort the hub may still give the same task out again; the run goes on so long. */
const ABORT_GRACE_MS = 5_000;
type Timer = 'deadline' | 'retry' | 'tick';

export function createHubLink(options: HubLinkOptions): HubLink {
  return new Link(options);
}

class Link implements HubLink, FrameActions {
  readonly #options: HubLinkOptions;
  readonly #clock: Clock;
  readonly #logger: Logger | undefined;
  readonly #random: () => number;
  readonly handlers: HubLinkHandlers;
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly approvals: Approvals;
  readonly tasks = new AssignedTasks();
  #state: HubLinkState = 'idle';
  #features: HubFeatures | undefined;
  #socket: HubSocket | undefined;
  #url: URL | undefined;
  /** Counts connections that were opened; tells what was said on which. */
  connection = 0;
  #attempts = 0;
  #everConnected = false;
  #rateLimited = 0;
  #cancelTimers = new Map<Timer, () => void>();
  /** Timers of the clock do not keep a process alive; waiting for a hub has to. */
  #alive: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger;
    this.#random = options.random ?? Math.random;
    this.handlers = options.handlers ?? {};
    this.recoveries = new Recoveries(this.#clock);
    this.approvals = new Approvals(this.#clock);
    this.outgoing = new Outgoing({
      outbox: options.outbox,
      tasks: this.tasks,
      clock: this.#clock,
      logger: options.logger,
      onSettled: ({ frame }, settlement) => {
        const note = { task_id: frame.task_id, ...settlement };
        if ('moot' in settlement) this.#logger?.warn(note, 'A result is moot; it stays in the local history');
        else this.#logger?.info(note, 'The hub has the result');
        // A newer assignment of the same task is not over.
        if ((this.tasks.get(frame.task_id)?.generation ?? 0) <= frame.generation) this.release(frame.task_id);
        this.call(() => this.handlers.onSettled?.(frame.task_id, settlement));
      },
      guard: (work) => this.call(work),
    });
  }

  get state(): HubLinkState {
    return this.#state;
  }

  get features(): HubFeatures | undefined {
    return this.#features;
  }

  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  get log(): Logger | undefined {
    return this.#logger;
  }

  start(): void {
    if (this.#state !== 'idle') return;
    const url = checkHubUrl(this.#options.url, this.#options.allowInsecure);
    if (!url.ok) {
      const { code, message } = url.failure;
      this.refuse({ code: code as LinkRefusal['code'], message, exitCode: 2 });
      return;
    }
    this.#url = url.value;
    this.#alive = setInterval(() => undefined, 2 ** 30);
    this.#connect();
  }

  async stop(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#enter('stopped');
    const socket = this.#socket;
    if (!socket) return;
    const closed = new Promise<void>((resolve) => (this.#closed = resolve));
    socket.close();
    await closed;
  }

  accept(taskId: string, generation?: number): void {
    this.outgoing.accept(this.tasks.take(taskId, generation, this.nowMs));
  }

  release(taskId: string): void {
    this.tasks.delete(taskId);
    this.outgoing.progress.forget(taskId);
    this.approvals.end('aborted', taskId);
  }

  progress(taskId: string, event: ExecutionEvent): void {
    if (this.#state === 'stopped') return;
    this.outgoing.addProgress(taskId, event);
  }

  flush(): void {
    this.outgoing.delivery.reload();
    this.outgoing.pump();
  }

  async flushed(): Promise<void> {
    if (this.#state === 'stopped') return;
    const empty = this.outgoing.delivery.whenEmpty();
    this.outgoing.pump();
    await empty;
  }

  recovering(taskId: string, generation?: number): Promise<RecoveryAnswer> {
    if (this.#state === 'stopped') return Promise.resolve({ action: 'unanswered' });
    const answer = this.recoveries.ask(taskId, generation);
    this.#askRecoveries();
    return answer;
  }

  stateReport(taskId: string, status: string): void {
    const task = this.tasks.get(taskId);
    if (!task) return;
    task.status = status;
    if (this.#state === 'ready') this.#report(task);
  }

  resourceReport(report: ResourceReport): void {
    this.outgoing.report(report);
  }

  requestApproval(
    request: ApprovalRequest,
    wait: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<ApprovalAnswer> {
    if (!this.#features?.approval) return Promise.resolve({ ok: false, reason: 'unsupported' });
    const answer = this.approvals.ask(request, wait);
    this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    return answer;
  }

  stats(): LinkStats {
    return {
      reconnects: Math.max(0, this.connection - 1),
      framesSent: this.outgoing.framesSent,
      rateLimited: this.#rateLimited,
      outboxDepth: this.outgoing.delivery.depth,
      bufferedEvents: this.outgoing.progress.size,
      droppedChars: this.outgoing.progress.droppedChars,
    };
  }

  // — What incoming frames set off (see incoming.ts) —

  identified(features: HubFeatures | undefined): void {
    this.#features = features;
    this.#attempts = 0;
    this.#everConnected = true;
    this.outgoing.meter.configure(features?.limits?.framesPerMinute ?? DEFAULT_FRAMES_PER_MINUTE);
    this.#enter('ready');
    this.#openLine();
    for (const task of this.tasks.all()) {
      if (task.taken && !this.outgoing.delivery.has(task.taskId)) this.#report(task);
    }
    this.recoveries.askAgain();
    this.#askRecoveries();
    if (features?.approval) {
      for (const request of this.approvals.open())
        this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    } else this.approvals.end('unsupported');
    this.call(() => this.handlers.onConnected?.(features));
    this.#tick();
  }

  /** Waits for the assignment that may follow, then tells the worker. */
  abort(taskId: string, generation: number): void {
    this.#clock.schedule(ABORT_GRACE_MS, () => {
      if (this.#state === 'stopped' || this.tasks.get(taskId)?.generation !== generation) return;
      this.release(taskId);
      this.call(() => this.handlers.onAbort?.(taskId, generation));
    });
  }

  rateLimited(retryAfterMs: number): void {
    this.#rateLimited += 1;
    this.#logger?.warn({ retry_after_ms: retryAfterMs }, 'The hub dropped a frame: too many in a minute');
    this.outgoing.meter.block(retryAfterMs);
    this.outgoing.delivery.rateLimited();
    this.tasks.acceptAgain();
    this.recoveries.askAgain();
  }

  refuse(refusal: LinkRefusal): void {
    this.#logger?.error({ code: refusal.code }, refusal.message);
    this.#enter('stopped');
    this.#socket?.close();
    this.call(() => this.handlers.onRefused?.(refusal));
  }

  fail(taskId: string, generation: number, error: string): void {
    this.#options.outbox.enqueue({ type: 'task_failed', task_id: taskId, generation, error });
    this.flush();
  }

  reconnect(cause: string): void {
    this.#socket?.terminate(cause);
  }

  call(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#logger?.error({ err: error }, "Acting on the hub's words failed");
      if (error instanceof StorageError) this.handlers.onStorageFailed?.(error);
    }
  }

  // — Connecting —

  #connect(): void {
    const url = this.#url;
    if (!url) return;
    this.#enter('connecting');
    this.#socket = new HubSocket({
      url,
      clock: this.#clock,
      onOpen: () => {
        this.connection += 1;
        this.#socket?.send(encodeWorkerFrame(identifyFrame(this.#options.identity)).text);
      },
      onFrame: (frame) => {
        if (this.#state !== 'stopped') this.call(() => handleHubFrame(this, frame));
      },
      onUnreadable: (failure) => {
        if (this.#state !== 'stopped') this.call(() => handleUnreadable(this, failure));
      },
      onClose: (close) => this.#lost(close),
    });
    this.#timer('deadline', IDENTIFY_TIMEOUT_MS, () => this.reconnect('the hub did not answer `identify`'));
  }

  #lost({ code, reason }: { code: number; reason: string }): void {
    this.#socket = undefined;
    this.#closed?.();
    if (this.#state === 'stopped') return;
    this.#features = undefined;
    this.outgoing.close();
    const attempts = this.#attempts;
    this.#attempts += 1;
    const retryInMs = Math.max(
      backoffMs(attempts, this.#random),
      code === 1008 ? (cooldownMs(reason) ?? 0) : 0,
    );
    this.#enter('waiting');
    this.#timer('retry', retryInMs, () => this.#connect());
    const why = `${reason || 'the connection was lost'} (${code})`;
    this.#logger?.warn({ reason: why, retry_in_ms: retryInMs }, 'No connection to the hub');
    this.call(() =>
      this.handlers.onDisconnected?.({
        reason: why,
        attempts: this.#attempts,
        everConnected: this.#everConnected,
        retryInMs,
      }),
    );
  }

  #enter(state: HubLinkState): void {
    this.#state = state;
    for (const name of this.#cancelTimers.keys()) this.#cancel(name);
    if (state !== 'stopped') return;
    clearInterval(this.#alive);
    this.outgoing.close();
    this.recoveries.stop();
    this.approvals.end('stopped');
    this.outgoing.delivery.stop();
  }

  #timer(name: Timer, delayMs: number, run: () => void): void {
    this.#cancel(name);
    this.#cancelTimers.set(name, this.#clock.schedule(delayMs, run));
  }

  #cancel(name: Timer): void {
    this.#cancelTimers.get(name)?.();
    this.#cancelTimers.delete(name);
  }

  #openLine(): void {
    const socket = this.#socket;
    if (!socket) return;
    const { connection } = this;
    const features = this.#features;
    this.outgoing.open({
      connection,
      features,
      get bufferedBytes() {
        return socket.bufferedBytes;
      },
      send: (text) => socket.send(text),
    });
  }

  /** Once a second: what was not answered is said again, and tasks that were silent show a sign of life. */
  #tick(): void {
    this.#timer('tick', TICK_MS, () => this.call(() => this.#tick()));
    for (const task of this.tasks.toAccept(this.connection, this.nowMs)) {
      if (!this.outgoing.delivery.isUnderWay(task.taskId)) this.outgoing.accept(task);
    }
    for (const { taskId } of this.tasks.silent(this.connection, this.nowMs)) {
      if (!this.outgoing.progress.has(taskId)) {
        this.outgoing.queue({ type: 'task_progress', task_id: taskId }, 'control');
      }
      this.tasks.heardOf(taskId, this.nowMs);
    }
    this.#askRecoveries();
    this.outgoing.pump();
  }

  #askRecoveries(): void {
    if (this.#state !== 'ready') return;
    for (const { taskId } of this.recoveries.due()) {
      this.outgoing.queue({ type: 'task_recovering', task_id: taskId }, 'terminal');
    }
  }

  #report(task: Assignment): void {
    const { taskId, generation, status, assignedAt } = task;
    task.reported.push(generation);
    task.reportedAtMs = this.nowMs;
    const when = assignedAt === undefined ? {} : { assigned_at: assignedAt };
    this.outgoing.queue({ type: 'state_report', task_id: taskId, status, generation, ...when }, 'control');
  }
}
