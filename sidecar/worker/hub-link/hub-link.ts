/**
 * Links the worker to its hub: the connection, outgoing frames, incoming frames, and open questions. Decides
 * nothing about tasks. `incoming.ts` handles the hub's frames, `hub-adapter.ts` the differences between hubs.
 */
import { checkHubUrl } from '../../base/addresses/hub-url.ts';
import type { AskUser, Clock, Logger } from '../../base/ports.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { HubFeatures } from '../../base/protocol/hub-frames.ts';
import { DEFAULT_FRAMES_PER_MINUTE } from '../../base/protocol/limits.ts';
import { StorageError } from '../../base/storage/storage-error.ts';
import { systemClock } from '../../base/system/clock.ts';
import { AssignedTasks } from './assigned-tasks.ts';
import { Connection } from './connection.ts';
import { HubAdapter } from './hub-adapter.ts';
import { askQuestions, onHubFrame, onUnreadable, type LinkTarget } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import { PublicHub } from './public-hub/public-hub.ts';
import { OpenQuestions } from './questions.ts';
import type {
  Disconnection,
  HubLinkHandlers,
  HubLinkOptions,
  HubLinkState,
  LinkRefusal,
  ResourceReport,
  WorkerStatus,
} from './types.ts';

/**
 * The link of the worker to its hub. No method throws for a failure of the network; `flush` and `waitUntilFlushed` may
 * throw `StorageError`.
 */
export class HubLink implements LinkTarget {
  readonly #options: HubLinkOptions;
  readonly #publicHub: PublicHub;
  readonly clock: Clock;
  readonly log: Logger | undefined;
  handlers: HubLinkHandlers = {};
  readonly tasks = new AssignedTasks();
  readonly connection: Connection;
  readonly outgoing: Outgoing;
  readonly questions: OpenQuestions;
  /** The hub of the present connection, or of the last one. */
  hub: HubAdapter;
  /** The reason why the last connection ended or failed. */
  lastLossReason: string | undefined;

  constructor(options: HubLinkOptions) {
    const { clock = systemClock, random = Math.random, identity, logger, agent } = options;
    this.#options = options;
    this.log = logger;
    this.clock = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      schedule: (delayMs, run) => clock.schedule(delayMs, () => this.runSafely(run)),
    };
    this.questions = new OpenQuestions(clock);
    this.connection = new Connection({
      identity,
      agent,
      clock: this.clock,
      logger,
      random,
      onFrame: (frame) => this.runSafely(() => onHubFrame(this, frame)),
      onUnreadable: (failure) => this.runSafely(() => onUnreadable(this, failure)),
      onTick: () => {
        this.outgoing.onTick();
        this.hub.onTick();
      },
      onLost: (disconnection) => this.#onLost(disconnection),
    });
    this.outgoing = new Outgoing(this, options);
    this.#publicHub = new PublicHub(this, options);
    this.hub = this.#publicHub;
  }

  get state(): HubLinkState {
    return this.connection.state;
  }

  /** Connects and stays connected. A refused address or token is reported to `onRefused`. */
  start(handlers: HubLinkHandlers = {}): void {
    if (this.state !== 'idle') return;
    this.handlers = handlers;
    const url = checkHubUrl(this.#options.url, this.#options.allowInsecure);
    if (url.ok) this.connection.start(url.value);
    else this.refuse(url.failure);
  }

  /** Ends the connection; undelivered results stay in the outbox. May be called twice. */
  async stop(): Promise<void> {
    // Sends events that wait to share a frame.
    this.runSafely(() => this.outgoing.pump());
    const isDone = this.state === 'ready' && this.outgoing.delivery.isEmpty;
    const closing = this.connection.stop();
    this.hub.onLost();
    this.outgoing.close();
    this.outgoing.delivery.stop();
    this.questions.end('stopped');
    await closing;
    if (isDone) await this.hub.returnAssignedTasks();
  }

  /** Sends `task_accepted`, also after a reconnect if needed. Must be called after the task is on disk. */
  accept(taskId: string, generation?: number): void {
    this.outgoing.accept(this.tasks.markTaken(taskId, generation));
  }

  /** Stops sending progress, keep-alive frames and state reports of a task that sends no result. */
  release(taskId: string): void {
    this.outgoing.release(taskId);
  }

  /** Queues an event, which is sent soon, alone or merged with others. Streamed text may be dropped. */
  sendProgress(taskId: string, event: ExecutionEvent): void {
    if (this.state !== 'stopped') this.outgoing.addProgress(taskId, event);
  }

  /** Delivers the results in the outbox; must be called after a result was added. */
  flush(): void {
    this.outgoing.delivery.reload();
    this.outgoing.pump();
  }

  /** Resolves when the outbox is empty or the link is stopped. */
  async waitUntilFlushed(): Promise<void> {
    if (this.state === 'stopped') return;
    const whenDelivered = this.outgoing.delivery.waitUntilEmpty();
    this.outgoing.pump();
    await whenDelivered;
  }

  /** Asks the hub about a task of an earlier run of this worker; the answer is passed to `onContinue` or `onDrop`. */
  askAboutTask(taskId: string, generation: number): void {
    this.tasks.recordRecovering(taskId, generation);
    this.outgoing.onTick();
  }

  reportResources(report: ResourceReport): void {
    this.runSafely(() => this.outgoing.reportResources(report));
  }

  /** Reports the worker's status to a hub that reads `worker_status`, now and on each new connection. */
  reportStatus(reportStatus: WorkerStatus): void {
    this.runSafely(() => {
      this.outgoing.setStatus(reportStatus);
      this.#publicHub.setNotReady(reportStatus.notReady ?? reportStatus.needsModel);
    });
  }

  requestApproval: AskUser = (request, wait) => {
    if (this.state === 'stopped') return Promise.resolve({ ok: false, reason: 'stopped' });
    // The hub's features are unknown without a connection; the next connection sends the question or ends it.
    const isUp = this.state === 'ready';
    if (isUp && !this.hub.features.approval) return Promise.resolve({ ok: false, reason: 'unsupported' });
    const answer = this.questions.ask(request, wait);
    if (isUp) this.outgoing.queue({ type: 'approval_request', ...request }, 'control');
    return answer;
  };

  onIdentified(features: HubFeatures | undefined): void {
    this.hub = features ? new HubAdapter(features) : this.#publicHub;
    const { framesPerMinute = DEFAULT_FRAMES_PER_MINUTE } = this.#options;
    this.outgoing.meter.configure(features?.limits?.framesPerMinute ?? framesPerMinute);
    this.connection.socket?.startPings(this.hub.heartbeat);
    this.hub.onIdentified(() => this.#onReady());
  }

  refuse(refusal: LinkRefusal): void {
    // Logged only for debugging: the owner of the link reports the reason to the user, once.
    this.log?.debug({ code: refusal.code }, 'Closing the connection to the hub permanently');
    void this.stop();
    this.runSafely(() => this.handlers.onRefused?.(refusal));
  }

  runSafely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log?.error({ err: error }, 'A frame from the hub could not be processed');
      if (error instanceof StorageError) this.handlers.onStorageFailed?.(error);
    }
  }

  #onReady(): void {
    this.connection.markReady();
    this.outgoing.open(this.hub);
    askQuestions(this);
    this.runSafely(() => this.handlers.onConnected?.());
  }

  #onLost(disconnection: Disconnection): void {
    this.hub.onLost();
    this.lastLossReason = disconnection.reason;
    this.outgoing.close();
    this.runSafely(() => this.handlers.onDisconnected?.(disconnection));
  }
}
