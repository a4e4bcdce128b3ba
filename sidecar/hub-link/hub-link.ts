/**
 * The worker's line to its hub: a connection, what goes out on it, what comes in, and what the hub was asked. Decides
 * nothing about tasks. What a frame of the hub sets off is in `incoming.ts`.
 */
import { checkHubUrl } from '../addresses/hub-url.ts';
import type { AskPerson, Clock, Logger } from '../ports.ts';
import { systemClock } from '../system/clock.ts';
import type { ExecutionEvent } from '../protocol/events.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import { parseHubFrame } from '../protocol/frames.ts';
import { DEFAULT_FRAMES_PER_MINUTE } from '../protocol/limits.ts';
import { StorageError } from '../storage/storage-error.ts';
import { AssignedTasks } from './assigned-tasks.ts';
import { Connection } from './connection.ts';
import { dialectOf, type HubDialect } from './hub-dialect.ts';
import { onAssign, onHubFrame, onUnreadable, type FrameTarget } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import { PublicHubApi, type ListedTask } from './public-hub/hub-api.ts';
import { giveBackRest } from './public-hub/give-back.ts';
import { HandBack } from './public-hub/hand-back.ts';
import { PublicLine } from './public-hub/public-line.ts';
import { OpenQuestions, Recoveries } from './questions.ts';
import type {
  Disconnection,
  HubLinkHandlers,
  HubLinkOptions,
  HubLinkState,
  LinkRefusal,
  RecoveryAnswer,
  ResourceReport,
  WorkerStatus,
} from './types.ts';

/** No method throws for a failure of the network; `flush` and `flushed` may throw `StorageError`. */
export class HubLink implements FrameTarget {
  readonly #options: HubLinkOptions;
  readonly #connection: Connection;
  readonly #api: PublicHubApi;
  readonly clock: Clock;
  readonly log: Logger | undefined;
  handlers: HubLinkHandlers = {};
  readonly tasks = new AssignedTasks();
  readonly outgoing: Outgoing;
  readonly recoveries: Recoveries;
  readonly questions: OpenQuestions;
  readonly publicLine: PublicLine;
  readonly handBack: HandBack;
  dialect: HubDialect = dialectOf(undefined);
  /** Why the last connection ended or was not made. */
  lastLoss: string | undefined;

  constructor(options: HubLinkOptions) {
    const {
      url,
      clock = systemClock,
      random = Math.random,
      identity,
      logger,
      outbox,
      isRested,
      agent,
    } = options;
    this.#options = options;
    this.clock = clock;
    this.log = logger;
    this.recoveries = new Recoveries(clock);
    this.questions = new OpenQuestions(clock);
    this.#connection = new Connection({
      identity,
      agent,
      clock,
      logger,
      random,
      onFrame: (frame) => this.call(() => onHubFrame(this, frame)),
      onUnreadable: (failure) => this.call(() => onUnreadable(this, failure)),
      onPong: (data) => this.call(() => this.publicLine.onPong(data)),
      onTick: () => this.call(() => this.#onTick()),
      onLost: (disconnection) => this.#onLost(disconnection),
    });
    this.outgoing = new Outgoing({
      agentId: identity.agentId,
      outbox,
      isRested,
      tasks: this.tasks,
      clock,
      logger,
      onSettled: ({ task_id: taskId, generation }) => {
        // A newer assignment of the same task is not over.
        if ((this.tasks.get(taskId)?.generation ?? 0) <= generation) this.release(taskId);
      },
      guard: (work) => this.call(work),
    });
    const api = (this.#api = new PublicHubApi(url, identity));
    // A line that is left while it has tasks or results would give them away.
    const isBusy = () => this.tasks.all().some(({ taken }) => taken) || outbox.pending().length > 0;
    this.handBack = new HandBack({
      identity,
      api,
      clock,
      logger,
      random,
      isBusy,
      leave: (cause, forMs) => this.#connection.leave(cause, forMs),
      guard: (work) => this.call(work),
    });
    this.publicLine = new PublicLine({
      agentId: identity.agentId,
      connection: {
        send: (text) => this.#connection.send(text),
        ping: (data) => this.#connection.ping(data),
        leave: (cause, forMs) => this.#connection.leave(cause, forMs),
        comeBack: () => this.#connection.comeBack(),
        replace: (cause) => this.#connection.replace(cause),
        identifyAgain: () => {
          this.outgoing.close();
          this.#connection.identifyAgain();
        },
      },
      api,
      clock,
      logger,
      random,
      isBusy,
      hasTask: (taskId) => this.tasks.get(taskId) !== undefined,
      onReady: () => this.#onReady(),
      onMissed: (task) => this.#onMissed(task),
      guard: (work) => this.call(work),
    });
  }

  /** Why no task may arrive although the hub answers; undefined where nothing is known of that. */
  get whyNoTasks(): string | undefined {
    return this.publicLine.whyNoTasks;
  }

  /** Something unusual of the line that keeps no task away. */
  get notice(): string | undefined {
    return this.publicLine.notice;
  }

  /** False where the hub of this line takes no details of events. */
  get takesDetails(): boolean {
    return this.state !== 'ready' || this.dialect.readsDetails;
  }

  get state(): HubLinkState {
    return this.#connection.state;
  }

  get connection(): number {
    return this.#connection.number;
  }

  // Calls of the worker.

  /** Connects and stays connected. A refused address or token is reported to `onRefused`. */
  start(handlers: HubLinkHandlers = {}): void {
    if (this.state !== 'idle') return;
    this.handlers = handlers;
    const url = checkHubUrl(this.#options.url, this.#options.allowInsecure);
    if (url.ok) this.#connection.start(url.value);
    else this.refuse(url.failure);
  }

  /** Ends the connection; what waits in the outbox stays there. May be called twice. */
  async stop(): Promise<void> {
    const hasLeft = this.state === 'ready' && this.dialect.isPublic && this.undelivered === 0;
    const stopped = this.#connection.stop();
    this.publicLine.close();
    this.handBack.dropAll();
    this.outgoing.stop();
    this.recoveries.stop();
    this.questions.end('stopped');
    await stopped;
    if (!hasLeft) return;
    await giveBackRest({
      api: this.#api,
      isLeft: (taskId, isAccepted) => !isAccepted || this.tasks.get(taskId) !== undefined,
      visit: () => this.#connection.visit(),
      clock: this.clock,
    });
  }

  /** Sends `task_accepted`, again after a reconnect where that is needed. Call it after the task is on disk. */
  accept(taskId: string, generation?: number): void {
    this.outgoing.accept(this.tasks.take(taskId, generation, this.clock.monotonicMs()));
  }

  /** Ends what the link does for a task that sends no result (progress, signs of life, state reports). */
  release(taskId: string): void {
    this.tasks.delete(taskId);
    this.outgoing.progress.forget(taskId);
    this.questions.end('aborted', taskId);
  }

  /** Hands over an event; it is sent at once, joined with others, or, where it is only text, dropped. */
  progress(taskId: string, event: ExecutionEvent): void {
    if (this.state !== 'stopped') this.outgoing.addProgress(taskId, event);
  }

  /** The last event of a task that this worker no longer has, with what it used: for hubs that read it only. */
  usedInAll(taskId: string, event: ExecutionEvent): void {
    if (!this.dialect.readsUsed) return;
    this.outgoing.queue({ type: 'task_progress', task_id: taskId, execution_event: event }, 'control');
  }

  /** Results that the hub has not acknowledged. */
  get undelivered(): number {
    return this.#options.outbox.size;
  }

  /** Looks into the outbox: call it after something was put there. */
  flush(): void {
    this.outgoing.delivery.reload();
    this.outgoing.pump();
  }

  /** Resolves when the outbox is empty or the link is stopped. */
  async flushed(): Promise<void> {
    if (this.state === 'stopped') return;
    const empty = this.outgoing.delivery.whenEmpty();
    this.outgoing.pump();
    await empty;
  }

  /** Asks what became of a task that an earlier run of this worker was running. */
  recovering(taskId: string, generation?: number): Promise<RecoveryAnswer> {
    if (this.state === 'stopped') return Promise.resolve({ action: 'unanswered' });
    const answer = this.recoveries.ask(taskId, generation);
    this.#askRecoveries();
    return answer;
  }

  resourceReport(report: ResourceReport): void {
    this.call(() => this.outgoing.report(report));
  }

  /** Reports how this worker is to a hub that reads it, now and on each connection. */
  status(status: WorkerStatus): void {
    this.call(() => {
      this.outgoing.setStatus(status);
      this.publicLine.setNotReady(status.notReady);
    });
  }

  requestApproval: AskPerson = (request, wait) => {
    if (this.state === 'stopped') return Promise.resolve({ ok: false, reason: 'stopped' });
    // While the line is down nobody knows what the hub can; the next one ends the question or sends it.
    const isUp = this.state === 'ready';
    if (isUp && !this.dialect.asksPeople) return Promise.resolve({ ok: false, reason: 'unsupported' });
    const answer = this.questions.ask(request, wait);
    if (isUp) this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    return answer;
  };

  // Handlers of the hub's frames.

  onIdentified(features: HubFeatures | undefined): void {
    this.dialect = dialectOf(features);
    const { framesPerMinute = DEFAULT_FRAMES_PER_MINUTE } = this.#options;
    this.outgoing.meter.configure(this.dialect.framesPerMinute ?? framesPerMinute);
    if (!this.dialect.isPublic) this.#onReady();
    else {
      this.outgoing.meter.tryTake('terminal');
      this.publicLine.open();
    }
  }

  /** The hub dropped a frame: it may have been any that was not answered. */
  onRateLimited(retryAfterMs: number): void {
    this.log?.warn({ retry_after_ms: retryAfterMs }, 'The hub dropped a frame: too many in a minute');
    this.outgoing.onRateLimited(retryAfterMs);
    this.recoveries.askAgain();
    this.#askQuestions();
  }

  refuse(refusal: LinkRefusal): void {
    // Whoever owns the link says why, once.
    this.log?.debug({ code: refusal.code }, 'The link to the hub ends for good');
    void this.stop();
    this.call(() => this.handlers.onRefused?.(refusal));
  }

  reconnect(cause: string): void {
    this.#connection.reconnect(cause);
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

  #onReady(): void {
    this.#connection.identified();
    const line = this.#connection.line(this.dialect);
    if (line) this.outgoing.open(line);
    this.recoveries.askAgain();
    this.#askRecoveries();
    this.#askQuestions();
    this.call(() => this.handlers.onConnected?.());
    this.#onTick();
  }

  #onTick(): void {
    this.outgoing.onTick();
    this.#askRecoveries();
    this.publicLine.onTick();
  }

  #onLost(disconnection: Disconnection): void {
    this.publicLine.close();
    // The hub has taken them back.
    for (const taskId of this.handBack.taskIds) this.release(taskId);
    this.handBack.dropAll();
    this.lastLoss = disconnection.reason;
    this.outgoing.close();
    this.call(() => this.handlers.onDisconnected?.(disconnection));
  }

  /** Reads the task as if it had been sent on this line. */
  #onMissed(task: ListedTask): void {
    const read = parseHubFrame(JSON.stringify({ ...task, type: 'task_assign', task_id: task.id }));
    this.log?.info({ task_id: task.id }, 'A task that was given to an older connection: read from the API');
    if (!read.ok) onUnreadable(this, read);
    else if (read.frame.type === 'task_assign') onAssign(this, read.frame);
  }

  #askRecoveries(): void {
    if (this.state !== 'ready') return;
    for (const taskId of this.recoveries.due()) {
      this.outgoing.queue({ type: 'task_recovering', task_id: taskId }, 'terminal');
    }
  }

  /** Questions to a person are asked again; a hub that cannot ask one ends it. */
  #askQuestions(): void {
    if (!this.dialect.asksPeople) this.questions.end('unsupported');
    for (const request of this.questions.all()) {
      this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    }
  }
}
