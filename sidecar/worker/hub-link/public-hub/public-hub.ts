/**
 * The public hub, AgentCom. The hub sends tasks on the connection that a worker registered first, even if that
 * connection is broken. It detects a broken connection after a minute without a frame, but each task, and each agent
 * that joins, leaves or ends a task, prolongs the minute. So a disconnected worker connects again at once. While its
 * older connection is registered, the worker reads its assigned tasks from the hub's API; when that connection ends,
 * the worker identifies again on the new one.
 */
import { parseHubFrame } from '../../../base/protocol/frames.ts';
import { hubFeaturesSchema, type HubFrame } from '../../../base/protocol/hub-frames.ts';
import type { TerminalFrameInput } from '../../../base/protocol/worker-frames.ts';
import { isRecord } from '../../../base/values/json.ts';
import type { AssignedTask } from '../assigned-tasks.ts';
import { HubAdapter, type MisfitTask, type TaskRefusal } from '../hub-adapter.ts';
import { onAssign, onUnreadable, type LinkTarget } from '../incoming.ts';
import type { HubLinkOptions } from '../types.ts';
import { MisfitReturns } from './hand-back.ts';
import { isAccepted, createPublicHubApi, type PublicHubTask, type PublicHubApi } from './hub-api.ts';
import type { Outcome } from '../../../base/values/outcome.ts';

/** Maximum number of tasks of a worker, running and waiting. This hub may assign several at once. */
const MAX_TASKS = 100;
/**
 * How long to wait for the message that this worker sends to its own id. The hub returns it at once on the registered
 * connection; without an answer, the registered connection is unknown.
 */
const QUESTION_TIMEOUT_MS = 5_000;
const RETURN_TIMEOUT_MS = 1_000;
/**
 * Interval at which the API is read for tasks that were sent on another connection, until this connection is registered
 * and no task was missed.
 */
const POLL_MS = 2_000;
/** Minimum time away from a hub without its API: after that, the hub has detected the dead connection. */
const MIN_DISCONNECT_MS = 60_500;
/** Maximum time away; the jitter prevents workers from returning in step. */
const MAX_DISCONNECT_MS = 90_000;
const NOT_READY_DISCONNECT_MS = 3_600_000;
/** Minimum delay before the worker reconnects after it disconnected to return a task. */
const MIN_RECONNECT_MS = 10_000;
const MAX_RECONNECT_MS = 15_000;
/** Delay before the worker identifies again: the hub accepts ten `identify` frames of an agent per minute. */
const REJOIN_AFTER_MS = 6_500;
/** Price of a million tokens, in dollars, of the model with which this hub's page compares local ones. */
const CLAUDE_USD_PER_MILLION_TOKENS = { in: 3, out: 15 } as const;

type TimerName = 'question' | 'poll' | 'rejoin';

/** Adapts the link to the public hub. One object serves all connections, one after another. */
export class PublicHub extends HubAdapter {
  override readonly heartbeat = { intervalMs: 2_000, timeoutMs: 4_000 };
  /** The hub blocks a worker for a minute if it ends a task that it has not accepted on this connection. */
  override readonly requiresAcceptance = true;
  override readonly confirmsOwnTasks = false;
  readonly #link: LinkTarget;
  readonly #workerId: string;
  readonly #api: PublicHubApi;
  readonly #misfitReturns: MisfitReturns;
  /** State of the connection; undefined without a connection, and `asking` until it may be used. */
  #state: 'asking' | 'unregistered' | 'registered' | undefined;
  #onReady: () => void = () => undefined;
  /** Tasks that the last reading of the API listed but this worker does not have, with their generation. */
  #missedTasks = new Map<string, number>();
  #hasFailed = false;
  readonly #cancelTimers = new Map<TimerName, () => void>();
  #notReady: string | undefined;

  constructor(link: LinkTarget, { url, identity }: Pick<HubLinkOptions, 'url' | 'identity'>) {
    super(hubFeaturesSchema.parse({}));
    this.#link = link;
    this.#workerId = identity.workerId;
    this.#api = createPublicHubApi(url, identity);
    const leave = (cause: string) => {
      link.connection.leave(cause, MIN_RECONNECT_MS, MAX_RECONNECT_MS);
      link.clock.schedule(POLL_MS, () => void this.returnAssignedTasks());
    };
    this.#misfitReturns = new MisfitReturns({ link, identity, api: this.#api, leaveHub: leave });
  }

  /** Asks the hub which connection is registered: a message to the own id returns on that connection only. */
  override onIdentified(onReady: () => void): void {
    this.onLost();
    this.#onReady = onReady;
    this.#state = 'asking';
    if (this.#leaveNotReady()) return;
    this.#link.outgoing.meter.tryTake('terminal');
    const message = { type: 'message', to: this.#workerId, payload: { text: 'which line' } };
    this.#link.connection.socket?.send(JSON.stringify(message));
    this.#setTimer('question', QUESTION_TIMEOUT_MS, () => this.#enter('registered'));
  }

  override onLost(): void {
    for (const cancel of this.#cancelTimers.values()) cancel();
    this.#cancelTimers.clear();
    this.#misfitReturns.forgetAll();
    this.#missedTasks = new Map();
    this.#hasFailed = false;
    this.#state = undefined;
  }

  override onFrame(frame: HubFrame): void {
    if (this.#state === undefined) return;
    const isOwn = frame.type === 'message' && frame.from === this.#workerId;
    if (isOwn || frame.type === 'task_assign') this.#enter('registered');
    if (frame.type === 'message_sent' && this.#state === 'asking')
      this.#setTimer('question', RETURN_TIMEOUT_MS, () => this.#enter('unregistered'));
    if (frame.type === 'agent_left' && frame.agent_id === this.#workerId) this.#onOwnConnectionEnded();
  }

  /** Leaves the hub if the worker cannot run tasks and has finished its work. */
  override onTick(): void {
    this.#leaveNotReady();
  }

  /** Sets why the worker can run no task. This hub reads no status, so the worker stays away until the reason is gone. */
  setNotReady(reason: string | undefined): void {
    const wasAway = this.#notReady !== undefined && this.#state === undefined;
    this.#notReady = reason;
    if (reason !== undefined) this.#leaveNotReady();
    else if (wasAway) {
      this.noTasksReason = undefined;
      this.#link.connection.endWait();
    }
  }

  override returnMisfit(misfit: MisfitTask): boolean {
    this.#misfitReturns.add(misfit);
    return true;
  }

  /** Returns `take` or `leave`, never `refuse`: this hub counts a refusal as an attempt, and takes unanswered tasks back by itself. */
  override decideOnRefusal({ kind }: TaskRefusal, taken: number): 'take' | 'leave' {
    return kind === 'busy' && taken < MAX_TASKS ? 'take' : 'leave';
  }

  /**
   * Returns whether the hub counts the worker as busy after it refused the result: it does if the task is still
   * assigned to this worker. For a task that was not assigned on this connection, only a newer generation shows that.
   */
  override countsAsBusy(task: AssignedTask | undefined, reason: string): boolean {
    if (task?.frames.acceptedCount === undefined) return false;
    return task.frames.isAssigned === true || reason === 'stale_generation';
  }

  /** Adds fields that this hub reads: the saved cost, and the worker that has to get a follow-up. */
  override adaptResult(frame: TerminalFrameInput): TerminalFrameInput {
    const adapted = super.adaptResult(frame);
    if (adapted.type !== 'task_complete' || !adapted.result) return adapted;
    const { tokens_in: tokensIn, tokens_out: tokensOut, follow_up: followUp } = adapted.result;
    const usd =
      (Number(tokensIn) * CLAUDE_USD_PER_MILLION_TOKENS.in +
        Number(tokensOut) * CLAUDE_USD_PER_MILLION_TOKENS.out) /
      1e6;
    const followUpFields = isRecord(followUp) ? followUp : {};
    const { metadata } = followUpFields;
    const isBound = isRecord(metadata) && metadata.follow_up_needs !== undefined;
    const result = {
      ...adapted.result,
      // This hub gives a task whose metadata has `assign_to` to that worker only.
      ...(isBound && {
        follow_up: { ...followUpFields, metadata: { assign_to: this.#workerId, ...metadata } },
      }),
      ...(Number.isFinite(usd) && { equivalent_claude_cost_usd: usd }),
    };
    return { ...adapted, result };
  }

  /**
   * Gives back the tasks that are still assigned to this worker. The hub takes back one task for each ended connection
   * and leaves the others assigned for ten minutes, so this worker connects and leaves once for each task.
   */
  override async returnAssignedTasks(): Promise<void> {
    const { clock, connection, tasks } = this.#link;
    const { returnedTaskIds } = this.#misfitReturns;
    const untilMs = clock.monotonicMs() + MIN_RECONNECT_MS;
    while (clock.monotonicMs() < untilMs) {
      const assigned = await this.#api.listAssigned();
      const isStillAssigned = (task: PublicHubTask) =>
        !isAccepted(task) || tasks.get(task.id) || returnedTaskIds.has(task.id);
      if (!assigned.ok || !assigned.value.some(isStillAssigned)) break;
      await connection.connectBriefly();
    }
    returnedTaskIds.clear();
  }

  #enter(state: 'unregistered' | 'registered'): void {
    const previous = this.#state;
    if (previous === undefined || previous === state) return;
    this.#state = state;
    this.notice = undefined;
    if (state === 'unregistered') {
      this.notice =
        'the hub still has an older connection of this worker, or another worker uses the same id. ' +
        `Until that connection ends, this worker polls the hub's API for tasks every ${POLL_MS / 1000} s`;
      this.#link.log?.warn({}, `For now, tasks arrive up to ${(3 * POLL_MS) / 1000} s late: ${this.notice}`);
    }
    if (previous !== 'asking') return;
    this.#setTimer('question', 0);
    this.noTasksReason = undefined;
    this.#pollLater();
    this.#onReady();
  }

  /** Identifies again, because the hub's register has no connection of this worker any more. */
  #onOwnConnectionEnded(): void {
    const { connection, outgoing } = this.#link;
    if (this.#state === 'registered') this.#state = 'unregistered';
    this.#pollLater();
    if (this.#cancelTimers.has('rejoin')) return;
    this.#setTimer('rejoin', REJOIN_AFTER_MS, () => {
      outgoing.close();
      connection.identifyAgain();
    });
  }

  #pollLater(): void {
    this.#setTimer('poll', POLL_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const missed = this.#missedTasks;
    const assigned = await this.#api.listAssigned();
    // Ignores the answer if a new connection has begun in the meantime.
    if (this.#missedTasks === missed) this.#link.runSafely(() => this.#onPolled(assigned));
  }

  /** Handles the tasks of an API reading. A task that is not accepted between two readings was sent on another connection. */
  #onPolled(assigned: Outcome<PublicHubTask[]>): void {
    const previous = this.#missedTasks;
    if (assigned.ok) {
      const missed = assigned.value.filter((task) => !isAccepted(task) && !this.#link.tasks.get(task.id));
      this.#missedTasks = new Map(missed.map(({ id, generation }) => [id, generation]));
      for (const task of missed) if (previous.get(task.id) === task.generation) this.#onMissedTask(task);
    } else if (this.#hasFailed && this.#leaveWithoutApi(assigned.failure.message)) return;
    this.#hasFailed = !assigned.ok;
    if (this.#state !== 'registered' || this.#missedTasks.size > 0) this.#pollLater();
  }

  /** Handles a task that was sent on another connection as if it had been sent on this one. */
  #onMissedTask(task: PublicHubTask): void {
    const read = parseHubFrame(JSON.stringify({ ...task, type: 'task_assign', task_id: task.id }));
    this.#link.log?.info(
      { task_id: task.id },
      'Read a task from the API that the hub had sent on an older connection',
    );
    if (!read.ok) onUnreadable(this.#link, read);
    else if (read.frame.type === 'task_assign') onAssign(this.#link, read.frame);
  }

  #leaveWithoutApi(message: string): boolean {
    if (this.#state === 'registered' || this.#link.outgoing.isBusy) return false;
    this.noTasksReason =
      `${this.notice}, but this API cannot be used (${message}). ` +
      'The worker disconnects for 60 to 90 s: reconnecting sooner would keep the old connection open';
    this.#link.log?.warn({}, `No tasks for now: ${this.noTasksReason}`);
    this.#link.connection.leave(this.notice ?? '', MIN_DISCONNECT_MS, MAX_DISCONNECT_MS);
    return true;
  }

  #leaveNotReady(): boolean {
    if (this.#notReady === undefined || this.#state === undefined || this.#link.outgoing.isBusy) return false;
    this.noTasksReason = this.#notReady;
    this.#link.connection.leave(`not ready: ${this.#notReady}`, NOT_READY_DISCONNECT_MS);
    return true;
  }

  /** Replaces the timer with this name; without `run`, only cancels it. */
  #setTimer(name: TimerName, delayMs: number, run?: () => void): void {
    this.#cancelTimers.get(name)?.();
    if (run) this.#cancelTimers.set(name, this.#link.clock.schedule(delayMs, run));
    else this.#cancelTimers.delete(name);
  }
}
