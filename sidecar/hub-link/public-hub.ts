/**
 * The rules that only the public hub needs: a hub that announces no features. It counts each refusal as an attempt of the task and
 * gives the task back at once, three times within 100 ms; a task that nobody accepts it takes back after a minute, and one
 * of a closed line at once, without counting.
 *
 * It gives tasks only to the line of a worker that it registered first, also where that one has been cut off and nobody is
 * there any more. It finds out after a minute without anything on that line, and each task, and each agent that joins or
 * leaves, prolongs the minute. `PublicLine` finds the cut within seconds, asks which line is registered, and leaves the hub
 * alone for a minute where it is another one: of an agent that is not there the hub gives its tasks to nobody.
 */
import type { Clock, Logger } from '../ports.ts';
import type { HubFeatures } from '../protocol/hub-frames.ts';
import type { AssignedTask } from './assigned-tasks.ts';
import type { Connection } from './connection.ts';

/** An idle line is asked this often, and left after so many questions without an answer. */
const BEAT_MS = 2_000;
const MAX_UNANSWERED = 2;
/** A hub that says nothing to the message cannot be asked. */
const UNANSWERED_MS = 5_000;
/** The hub finds an older line dead within a minute; a little more, since its clock is another one. */
const AWAY_MS = 60_500;
/** After so many returns the other line is no dead one but another worker with the same id, which each return disturbs. */
const RETURNS_BEFORE_DOUBT = 5;
const MAX_DOUBLINGS = 4;
/** A worker that the hub drops from its register again and again connects anew no more often than this. */
const REJOIN_INTERVAL_MS = 60_000;
const MAX_ACCEPT_ATTEMPTS = 2;
const QUESTION = 'which line';

export interface PublicLineOptions {
  agentId: string;
  connection: Pick<Connection, 'send' | 'ping' | 'leave' | 'reconnect'>;
  clock: Clock;
  logger: Logger | undefined;
  /** Whether leaving would give tasks or results away. */
  isBusy: () => boolean;
  /** The line may be used. */
  onReady: () => void;
}

/** Whether the line to the public hub is the one that gets tasks. One object for all lines, one after another. */
export class PublicLine {
  readonly #options: PublicLineOptions;
  #isAsking = false;
  #returns = 0;
  #unanswered = 0;
  #cancelTimers: (() => void)[] = [];
  #cancelRejoin: () => void = () => undefined;
  #rejoinNotBeforeMs = 0;
  whyNoTasks: string | undefined;

  constructor(options: PublicLineOptions) {
    this.#options = options;
  }

  /** The hub said `identified`: a message to the own id comes back on the registered line only. */
  open(): void {
    const { agentId, clock, connection } = this.#options;
    this.close();
    this.#isAsking = true;
    connection.send(JSON.stringify({ type: 'message', to: agentId, payload: { text: QUESTION } }));
    this.#cancelTimers.push(clock.schedule(UNANSWERED_MS, () => this.onRegistered()));
    this.#beat();
  }

  /** The hub has passed the message on: whatever it sent on this line because of it comes before the answer to this ping. */
  onMessageSent(): void {
    if (this.#isAsking) this.#options.connection.ping(QUESTION);
  }

  onMessage(from: string | undefined): void {
    if (from === this.#options.agentId) this.onRegistered();
  }

  onPong(data: string): void {
    this.#unanswered = 0;
    if (data === QUESTION && this.#isAsking) this.#isAnother();
  }

  /** The message came back, or a task did. */
  onRegistered(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#returns = 0;
    this.whyNoTasks = undefined;
    this.#options.onReady();
  }

  close(): void {
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
    this.#cancelRejoin();
    this.#isAsking = false;
    this.#unanswered = 0;
  }

  /** Once a second: a worker that had work leaves when it has done it. */
  onTick(): void {
    if (this.whyNoTasks !== undefined && !this.#options.isBusy()) this.#leave();
  }

  /**
   * When an older connection of this worker is found dead, the hub drops the worker although it is back on a newer one: that
   * line stays open and gets no task. Only a new connection brings it into the register again.
   */
  onAgentLeft(id: string | undefined): void {
    const { agentId, clock, connection } = this.#options;
    if (id !== agentId) return;
    this.#cancelRejoin();
    this.#cancelRejoin = clock.schedule(Math.max(0, this.#rejoinNotBeforeMs - clock.monotonicMs()), () => {
      this.#rejoinNotBeforeMs = clock.monotonicMs() + REJOIN_INTERVAL_MS;
      connection.reconnect('the hub dropped this worker from its register');
    });
  }

  #isAnother(): void {
    const { isBusy, logger, onReady } = this.#options;
    this.#isAsking = false;
    this.whyNoTasks =
      'the hub has an older connection of this worker, or another worker with the same id: no task may arrive until that one is gone';
    logger?.warn({}, `No tasks for now: ${this.whyNoTasks}`);
    if (isBusy()) onReady();
    else this.#leave();
  }

  #leave(): void {
    this.#returns += 1;
    const doublings = Math.min(Math.max(0, this.#returns - RETURNS_BEFORE_DOUBT), MAX_DOUBLINGS);
    this.#options.connection.leave(this.whyNoTasks ?? '', AWAY_MS * 2 ** doublings);
  }

  #beat(): void {
    const { clock, isBusy, connection } = this.#options;
    const cancel = clock.schedule(BEAT_MS, () => {
      this.#cancelTimers = this.#cancelTimers.filter((one) => one !== cancel);
      if (isBusy()) this.#unanswered = 0;
      else if (this.#unanswered >= MAX_UNANSWERED) return connection.reconnect('the hub answers no ping');
      else {
        this.#unanswered += 1;
        connection.ping('');
      }
      this.#beat();
    });
    this.#cancelTimers.push(cancel);
  }
}

/** Tasks that a worker holds at most, running and waiting. This hub gives several to one where two assignments meet. */
const MOST_TASKS = 100;

/**
 * A task of another kind of worker is refused after this time, and longer the next time: until then one of that kind may be
 * free. Below the minute after which the hub takes it back by itself.
 */
const REFUSALS_AFTER_MS = [30_000, 40_000, 50_000] as const;
const MAX_REMEMBERED = 1_000;

/** Why a worker takes no task: it has enough of them; it takes none at all. */
export interface Refusal {
  kind: 'busy' | 'closed';
  error: string;
}

/** The handling of a task that a worker refuses on another hub; `taken`: tasks that it holds. */
export function insteadOfRefusal({ kind }: Refusal, { taken }: { taken: number }): 'take' | 'leave' {
  return kind === 'busy' && taken < MOST_TASKS ? 'take' : 'leave';
}

/** Refusals that wait, by task. */
export class LateRefusals {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, () => void>();
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Refuses the task later, in place of an earlier assignment of it. */
  later(taskId: string, refuse: () => void): void {
    this.drop(taskId);
    const count = this.#counts.get(taskId) ?? 0;
    this.#counts.delete(taskId);
    this.#counts.set(taskId, count + 1);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_REMEMBERED && oldest !== undefined) this.#counts.delete(oldest);
    const afterMs = REFUSALS_AFTER_MS[Math.min(count, REFUSALS_AFTER_MS.length - 1)] ?? 0;
    const cancel = this.#clock.schedule(afterMs, () => {
      this.#waiting.delete(taskId);
      refuse();
    });
    this.#waiting.set(taskId, cancel);
  }

  drop(taskId: string): void {
    this.#waiting.get(taskId)?.();
    this.#waiting.delete(taskId);
  }

  /** The line is lost: the hub has taken the tasks back. */
  dropAll(): void {
    for (const taskId of this.#waiting.keys()) this.drop(taskId);
  }
}

/**
 * A dropped `task_accepted` that is sent again after the result would leave this hub believing the worker busy for ever; so
 * the result waits for its acknowledgement, but not for a hub that gives none.
 */
export function isAcceptancePending(task: AssignedTask | undefined, connection: number): boolean {
  const accepted = task?.accepted;
  return (
    accepted?.connection === connection && !accepted.acknowledged && accepted.attempts <= MAX_ACCEPT_ATTEMPTS
  );
}

/**
 * Whether this hub, after it refused a result, believes the worker busy for ever: where it was sent `task_accepted`
 * and has it as this worker's, which of a task that was not given out on this line only a newer generation shows.
 */
export function leavesWorkerBusy(
  { features, connection }: { features: HubFeatures | undefined; connection: number },
  task: AssignedTask | undefined,
  reason: string,
): boolean {
  if (features || task?.accepted?.connection !== connection) return false;
  return task.assignedOn === connection || reason === 'stale_generation';
}
