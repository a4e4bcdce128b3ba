/**
 * Admits calls to the model servers, up to their slots, in the order of `choose-next-call.ts`. Waiting ends when no
 * server is up that could answer; the caller waits for a server and calls again. A call with a slot waits for nothing
 * here, so every wait ends.
 */
import type { Clock } from '../../base/ports.ts';
import { systemClock } from '../../base/system/clock.ts';
import type { ChatOutcome } from '../chat.ts';
import type { ScheduledServer, ScheduledTask, ServerMetrics } from './scheduled-server.ts';
import { ModelServers, type ModelServersOptions } from './model-servers.ts';
import { findNextChangeMs, chooseNextCall, type CallQueue, type WaitingCall } from './choose-next-call.ts';

const DEFAULT_MAX_PASSED_OVER_MS = 600_000;
/** Maximum number of tasks that wait, ready for their first call, while no slot is idle. */
const MAX_READY_TASKS = 1;

export interface SchedulerOptions extends ModelServersOptions {
  /** Maximum time for which a call waits because its model is not loaded. */
  maxPassedOverMs?: number;
}

export interface ScheduledCall extends Omit<WaitingCall, 'task' | 'sinceMs'> {
  taskId: string;
  signal?: AbortSignal | undefined;
  /** Called if the call has to wait. Must not throw. */
  onWait?: () => void;
}

/** A slot of a server for one call. */
export interface Grant {
  server: ScheduledServer;
  /** Ends the call, once; returns the outcome with its cost. `freshShare`: the share of the prompt that this server cannot have cached. */
  end: (outcome: ChatOutcome, freshShare?: number) => ChatOutcome;
}

export interface ServerState extends ServerMetrics {
  /** Number of waiting calls that prefer this server. */
  waitingCount: number;
  /** The reason why the server is down; undefined while it is up or unchecked. */
  downReason?: string;
}

interface QueuedCall extends WaitingCall {
  resolveCall: (grant: Grant | 'down' | undefined) => void;
}

export class Scheduler {
  readonly servers: ModelServers;
  readonly #maxPassedOverMs: number;
  readonly #clock: Clock;
  readonly #tasks = new Map<string, ScheduledTask>();
  readonly #listeners = new Set<() => void>();
  #waitingCalls: QueuedCall[] = [];
  #lastRank = 0;
  #cancelTimer: () => void = () => undefined;

  constructor(options: SchedulerOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#maxPassedOverMs = options.maxPassedOverMs ?? DEFAULT_MAX_PASSED_OVER_MS;
    this.servers = new ModelServers(options);
    this.servers.onChange(() => this.#endUnanswerable());
  }

  /** Waits for a slot. Returns `down` if no server is up any more, undefined if the call was cancelled. Never rejects. */
  waitForSlot({ taskId, signal, onWait, ...call }: ScheduledCall): Promise<Grant | 'down' | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const task = this.#getOrAddTask(taskId);
    return new Promise((resolve) => {
      const resolveCall: QueuedCall['resolveCall'] = (grant) => {
        this.#waitingCalls = this.#waitingCalls.filter((one) => one !== queuedCall);
        signal?.removeEventListener('abort', cancel);
        resolve(grant);
        if (typeof grant !== 'object') this.#dispatch();
      };
      const queuedCall: QueuedCall = { ...call, task, sinceMs: this.#now(), resolveCall };
      const cancel = (): void => resolveCall(undefined);
      task.hasAsked ||= !call.isLoad;
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waitingCalls.push(queuedCall);
      this.#dispatch();
      if (this.#waitingCalls.includes(queuedCall)) onWait?.();
    });
  }

  /** Records that the task will soon call the model, which the server has loaded. */
  expectCall(taskId: string, server: ScheduledServer, model: string): void {
    Object.assign(this.#getOrAddTask(taskId), { server, model });
  }

  /** Removes an ended task and its reservations. */
  forgetTask(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    this.#tasks.delete(taskId);
    for (const server of this.servers.all) server.forgetTask(task);
    this.#dispatch();
  }

  /** Returns whether a task has made a call of the model. */
  hasAsked(taskId: string): boolean {
    return this.#tasks.get(taskId)?.hasAsked ?? false;
  }

  /**
   * Returns how many more tasks can usefully start; a number below 1 means none. `startingTasks`: number of active
   * tasks that will soon make their first call. `isFitting`: whether a waiting task needs a loaded model. For such
   * tasks, one more than the idle slots is prepared in advance. A task with another model needs an idle server, since
   * alternating models would be loaded again and again.
   */
  countUsefulTasks({ isFitting, startingTasks }: { isFitting: boolean; startingTasks: number }): number {
    const { all } = this.servers;
    const swapCalls = this.#waitingCalls.filter(({ model }) => this.servers.wouldSwap(model));
    const idle = all.filter(({ runningCalls }) => runningCalls.length === 0);
    if (!isFitting) return idle.length - swapCalls.length - startingTasks;
    const spareSlots = all.reduce((sum, one) => sum + one.countIdleSlots(this.#now()), 0);
    const ready = this.#waitingCalls.filter(
      (one) => !one.task.hasBegun && !one.isLoad && !swapCalls.includes(one),
    );
    return spareSlots + MAX_READY_TASKS - ready.length - startingTasks;
  }

  /** Number of calls that run or wait. */
  get callCount(): number {
    return this.servers.all.reduce(
      (sum, { runningCalls }) => sum + runningCalls.length,
      this.#waitingCalls.length,
    );
  }

  /** The states of all servers that are configured or were used. */
  get serverStates(): ServerState[] {
    const preferredServers = this.#waitingCalls.map((call) => call.servers()[0]);
    return this.servers.all.map((server) => ({
      ...server.getMetrics(this.#now()),
      waitingCount: preferredServers.filter((one) => one === server).length,
      ...(server.condition.downReason !== undefined && { downReason: server.condition.downReason }),
    }));
  }

  /** Calls `listener` when calls arrive, begin or end; it must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #dispatch(): void {
    this.#cancelTimer();
    // Both steps use one reading of the clock: a change between two readings would be missed.
    const nowMs = this.#now();
    for (
      let next = chooseNextCall(this.#snapshotQueue(nowMs));
      next;
      next = chooseNextCall(this.#snapshotQueue(nowMs))
    )
      this.#admit(next.call, next.server);
    const wakeMs = findNextChangeMs(this.#snapshotQueue(nowMs));
    if (wakeMs !== undefined) {
      // Rounded up to whole milliseconds, because a timer that fires a fraction early would be set again and again.
      const delayMs = Math.max(1, Math.ceil(wakeMs - this.#now()));
      this.#cancelTimer = this.#clock.schedule(delayMs, () => this.#dispatch());
    }
    for (const listener of this.#listeners) listener();
  }

  #snapshotQueue(nowMs: number): CallQueue<QueuedCall> {
    const tasks = [...this.#tasks.values()];
    return { calls: this.#waitingCalls, tasks, maxPassedOverMs: this.#maxPassedOverMs, nowMs };
  }

  #admit({ task, model, isLoad, sinceMs, resolveCall }: QueuedCall, server: ScheduledServer): void {
    const enteredMs = this.#now();
    const waitedMs = enteredMs - sinceMs;
    if (server.wouldSwap(model)) task.passedOverMs += waitedMs;
    if (task.hasBegun) task.waitedMs += waitedMs;
    else if (!isLoad) task.rank = this.#lastRank += 1;
    task.hasBegun ||= !isLoad;
    Object.assign(task, { server, model });
    const runningCall = server.startCall(task, { model, isLoad }, enteredMs);
    const end = (outcome: ChatOutcome, freshShare = 1): ChatOutcome => {
      const nowMs = this.#now();
      server.endCall(runningCall, outcome, freshShare, nowMs);
      this.#dispatch();
      if (!outcome.ok) return outcome;
      const { value } = outcome;
      return { ok: true, value: { ...value, readTokens: server.countReadTokens(value, model) } };
    };
    resolveCall({ server, end });
  }

  /** Ends the waiting calls that none of the available servers can answer. */
  #endUnanswerable(): void {
    for (const { servers, resolveCall, model } of this.#waitingCalls)
      if (servers().every((server) => server.condition.downReasonOf(model) !== undefined))
        resolveCall('down');
    this.#dispatch();
  }

  #getOrAddTask(taskId: string): ScheduledTask {
    const existing = this.#tasks.get(taskId);
    if (existing) return existing;
    const noCalls = { hasAsked: false, hasBegun: false, waitedMs: 0, passedOverMs: 0 };
    const task = { ...noCalls, rank: (this.#lastRank += 1) };
    this.#tasks.set(taskId, task);
    return task;
  }

  #now(): number {
    return this.#clock.monotonicMs();
  }
}
