/**
 * Chooses the waiting call that gets a slot next, and the model server.
 * - Calls of tasks that have begun come first, by the total time that the task has waited; then first calls, by task.
 * - A task begins (makes its first call) only on a slot that has been idle for a moment: with more tasks each would take longer
 *   and none would end sooner.
 * - Calls of the loaded model precede those of another one, but no call waits longer than `maxPassedOverMs` for that reason.
 *   A model is replaced only after its tasks have ended, or have left the server idle for as long as changing it costs.
 *
 * Reserving slots and models by an estimate of each task's share of a slot and of its pauses had no effect: 208, 587 and 316
 * tasks per hour against 208, 594 and 326 (24 tasks of two models; one, four and two slots; checks of 0.2, 3 and 20 s).
 * Replacing a model while its tasks still call it was slower, even with the estimates: 362 tasks per hour with four slots.
 */
import type { ScheduledServer, ScheduledTask } from './scheduled-server.ts';

export interface WaitingCall {
  readonly task: ScheduledTask;
  readonly model: string;
  /** Whether the call only loads the model. */
  readonly isLoad: boolean;
  /** Servers that may answer the call now; never empty. */
  readonly servers: () => readonly ScheduledServer[];
  /** The server whose cache has the conversation. */
  readonly current?: ScheduledServer | undefined;
  readonly sinceMs: number;
}

export interface CallQueue<C extends WaitingCall = WaitingCall> {
  readonly calls: readonly C[];
  /** Tasks that have arrived and not ended, with or without a call. */
  readonly tasks: readonly ScheduledTask[];
  readonly maxPassedOverMs: number;
  readonly nowMs: number;
}

/** Returns the call to admit and its server; undefined if all calls have to wait. */
export function chooseNextCall<C extends WaitingCall>(
  queue: CallQueue<C>,
): { call: C; server: ScheduledServer } | undefined {
  const waitedMs = ({ task, sinceMs }: C) => task.waitedMs + queue.nowMs - sinceMs;
  const ordered = queue.calls.toSorted(
    (a, b) =>
      Number(isOverdue(b, queue)) - Number(isOverdue(a, queue)) ||
      Number(b.task.hasBegun) - Number(a.task.hasBegun) ||
      (a.task.hasBegun ? waitedMs(b) - waitedMs(a) : 0) ||
      a.task.rank - b.task.rank,
  );
  for (const call of ordered) {
    const rate = (server: ScheduledServer) =>
      server === call.current ? -1 : server.rateForModel(call.model);
    const rated = call.servers().toSorted((a, b) => rate(a) - rate(b));
    const server = rated.find((one) => mayStart(call, one, queue));
    if (server) return { call, server };
  }
  return undefined;
}

/** Returns the next time at which the decision may change although no call arrives or ends. */
export function findNextChangeMs({ calls, maxPassedOverMs, nowMs }: CallQueue): number | undefined {
  const servers = [...new Set(calls.flatMap((call) => call.servers()))];
  const changeTimes = [
    ...calls.map((call) => dueMsOf(call, maxPassedOverMs)),
    ...servers.flatMap((server) => server.reservationEndsMs),
  ].filter((endMs) => endMs > nowMs && endMs < Infinity);
  return changeTimes.length > 0 ? Math.min(...changeTimes) : undefined;
}

function mayStart(call: WaitingCall, server: ScheduledServer, queue: CallQueue): boolean {
  const { task, model } = call;
  const { nowMs } = queue;
  const isDue = isOverdue(call, queue);
  const mayBegin = isDue || !mustWait(call, server, queue);
  if (server.isLoading(model) || !mayBegin) return false;
  const rivals = queue.calls.filter((one) => one !== call && one.servers().includes(server));
  if (!server.wouldSwap(model)) {
    // The server must become free for an overdue call of another model.
    if (rivals.some((one) => isOverdue(one, queue) && server.wouldSwap(one.model))) return false;
    return server.hasSlotFor(task, nowMs);
  }
  if (server.runningCalls.length > 0) return false;
  return isDue || !(isAwaited(server, rivals, queue) || isModelReserved(call, server, queue));
}

/** Returns whether a call of the loaded model waits and may start. */
const isAwaited = (server: ScheduledServer, rivals: readonly WaitingCall[], queue: CallQueue): boolean =>
  rivals.some((one) => server.isLoaded(one.model) && !mustWait(one, server, queue));

/** Returns whether the loaded model is reserved for another task that is likely to call it soon. */
function isModelReserved(
  { task }: WaitingCall,
  server: ScheduledServer,
  { calls, tasks, nowMs }: CallQueue,
): boolean {
  if (server.modelReservedUntilMs <= nowMs) return false;
  const needsOther = (one: ScheduledTask) =>
    calls.some((call) => call.task === one && server.wouldSwap(call.model));
  return tasks.some((one) => one !== task && usesModelOf(one, server) && !needsOther(one));
}

const usesModelOf = ({ server, model }: ScheduledTask, one: ScheduledServer): boolean =>
  server === one && model !== undefined && one.isLoaded(model);

/**
 * Returns whether a new task has to wait: while no slot has been idle for a moment, or while a task that has begun
 * waits for a model that was replaced. In the latter case, the tasks of the loaded model end and no new ones begin, so
 * that the model can be replaced.
 */
function mustWait(
  { task, isLoad }: WaitingCall,
  server: ScheduledServer,
  { calls, nowMs }: CallQueue,
): boolean {
  if (task.hasBegun || isLoad) return false;
  const isReplaced = (one: WaitingCall) =>
    one.task.hasBegun && server.wouldSwap(one.model) && one.servers().includes(server);
  return server.countIdleSlots(nowMs) === 0 || calls.some(isReplaced);
}

const dueMsOf = ({ sinceMs, task }: WaitingCall, maxPassedOverMs: number): number =>
  sinceMs + Math.max(0, maxPassedOverMs - task.passedOverMs);

const isOverdue = (call: WaitingCall, { maxPassedOverMs, nowMs }: CallQueue): boolean =>
  dueMsOf(call, maxPassedOverMs) <= nowMs;
