/**
 * Chooses the waiting call that gets a slot next, and the model server.
 * - Calls of tasks that have begun come first, by the total time that the task has waited; then first questions, by task.
 * - A task may begin (ask its first question) only while the begun tasks leave slots idle: with more tasks each would take
 *   longer and none would end sooner.
 * - Calls of the loaded model precede those of another one, but no call waits longer than `maxPassedOverMs` for that reason.
 * - A slot stays reserved for its last task while waiting costs less than reading the prompt again, and at least for a moment.
 *   A model stays reserved for its tasks while waiting costs less than loading it again.
 */
import type { KnownServer } from './known-server.ts';
import type { ScheduledTask } from './scheduled-task.ts';

/** Slots count as full if the tasks that have begun use this share of their time. */
const FULL_SHARE = 0.85;

export interface WaitingCall {
  readonly task: ScheduledTask;
  readonly model: string;
  /** Whether the call only loads the model. */
  readonly isLoad: boolean;
  /** Servers that may answer the call now; never empty. */
  readonly servers: () => readonly KnownServer[];
  /** The server whose cache has the conversation. */
  readonly current?: KnownServer | undefined;
  readonly sinceMs: number;
}

export interface Queue<C extends WaitingCall = WaitingCall> {
  readonly calls: readonly C[];
  /** Tasks that have asked and not ended, with or without a call. */
  readonly tasks: readonly ScheduledTask[];
  readonly maxPassedOverMs: number;
  readonly nowMs: number;
}

/** Returns the call to admit and its server; undefined if all calls have to wait. */
export function whoIsNext<C extends WaitingCall>(
  queue: Queue<C>,
): { call: C; server: KnownServer } | undefined {
  const waitedMs = ({ task, sinceMs }: C) => task.waitedMs + queue.nowMs - sinceMs;
  const inOrder = queue.calls.toSorted(
    (a, b) =>
      Number(b.task.hasBegun) - Number(a.task.hasBegun) ||
      (a.task.hasBegun ? waitedMs(b) - waitedMs(a) : 0) ||
      a.task.order - b.task.order,
  );
  for (const call of inOrder.toSorted((a, b) => Number(isOverdue(b, queue)) - Number(isOverdue(a, queue)))) {
    const rate = (server: KnownServer) => (server === call.current ? -1 : server.rating(call.model));
    const rated = call.servers().toSorted((a, b) => rate(a) - rate(b));
    const server = rated.find((one) => mayEnter(call, one, queue));
    if (server) return { call, server };
  }
  return undefined;
}

/** Returns when the decision may change without a call that comes or ends. */
export function nextChangeMs({ calls, tasks, maxPassedOverMs, nowMs }: Queue): number | undefined {
  const servers = [...new Set(calls.flatMap((call) => call.servers()))];
  const ends = [
    ...calls.map((call) => dueMs(call, maxPassedOverMs)),
    ...(calls.length > 0 ? tasks.map(({ lateAtMs }) => lateAtMs) : []),
    ...servers.flatMap((server) => server.keptUntilMs),
    ...servers.flatMap((server) => tasks.map((task) => task.modelKeptUntilMs(server))),
  ].filter((endMs) => endMs > nowMs && endMs < Infinity);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

/** Whether the tasks that have begun use all of the server's slots. */
export function isFull(server: KnownServer, { tasks, nowMs }: Pick<Queue, 'tasks' | 'nowMs'>): boolean {
  const share = tasks.reduce((sum, task) => sum + task.shareAt(server, nowMs), 0);
  return share >= server.settings.slots * FULL_SHARE;
}

function mayEnter(call: WaitingCall, server: KnownServer, queue: Queue): boolean {
  const { task, model } = call;
  const isDue = isOverdue(call, queue);
  if (server.isLoading(model) || (!isDue && mustNotBegin(call, server, queue))) return false;
  const rivals = queue.calls.filter((one) => one !== call && one.servers().includes(server));
  if (!server.wouldSwap(model)) {
    // The server must become free for an overdue call of another model.
    if (rivals.some((one) => isOverdue(one, queue) && server.wouldSwap(one.model))) return false;
    return server.hasSlotFor(task, queue.nowMs);
  }
  if (server.running.length > 0) return false;
  if (isDue) return true;
  const isPassedOver = rivals.some((one) => server.isLoaded(one.model) && !mustNotBegin(one, server, queue));
  const isModelKept = queue.tasks.some((one) => one !== task && one.modelKeptUntilMs(server) > queue.nowMs);
  return !isPassedOver && !isModelKept;
}

/**
 * Whether a new task has to wait: while older tasks fill the slots, and while one of them waits for a model that was
 * replaced, so that the tasks of the loaded model end and no more begin.
 */
function mustNotBegin({ task, isLoad }: WaitingCall, server: KnownServer, queue: Queue): boolean {
  if (task.hasBegun || isLoad) return false;
  const isAwaited = (one: WaitingCall) =>
    one.task.hasBegun && server.wouldSwap(one.model) && one.servers().includes(server);
  return isFull(server, queue) || queue.calls.some(isAwaited);
}

const dueMs = ({ sinceMs, task }: WaitingCall, maxPassedOverMs: number): number =>
  sinceMs + Math.max(0, maxPassedOverMs - task.passedOverMs);

const isOverdue = (call: WaitingCall, { maxPassedOverMs, nowMs }: Queue): boolean =>
  dueMs(call, maxPassedOverMs) <= nowMs;
