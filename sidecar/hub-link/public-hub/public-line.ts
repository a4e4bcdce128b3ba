/**
 * The worker's line to the public hub. That hub gives tasks to the line of a worker that it registered first, also where
 * that one was cut off: it finds out after a minute without anything on that line, and each task and each agent that joins,
 * leaves or ends a task prolongs the minute. A worker that is cut off connects again at once. While its older line is
 * registered it reads from the hub's API which tasks it was given; when that line ends it identifies again on the new one.
 */
import type { Clock, Logger } from '../../ports.ts';
import type { Connection } from '../connection.ts';
import type { ListedTask, PublicHubApi } from './hub-api.ts';

/** A line is asked this often, and left after so many questions without an answer. */
const BEAT_MS = 2_000;
const MAX_UNANSWERED = 2;
/** A hub that says nothing to the message cannot be asked. */
const UNANSWERED_MS = 5_000;
/** How often the API is asked for tasks that were not sent on this line, and how often after a line that is registered opened. */
const LOOK_MS = 2_000;
const MAX_LOOKS_REGISTERED = 2;
const MAX_FAILED_LOOKS = 3;
/** Without its API the hub is left alone until it has found the older line dead; the jitter keeps workers from returning in step. */
const AWAY_MS = 60_500;
const JITTER_MS = 30_000;
const NOT_READY_MS = 3_600_000;
/** The hub takes ten `identify` of an agent in a minute. */
const REJOIN_INTERVAL_MS = 15_000;
const QUESTION = 'which line';

export interface PublicLineOptions {
  agentId: string;
  connection: Pick<Connection, 'send' | 'ping' | 'leave' | 'comeBack' | 'replace' | 'identifyAgain'>;
  api: Pick<PublicHubApi, 'assigned'>;
  clock: Clock;
  logger: Logger | undefined;
  random: () => number;
  /** Whether leaving would give tasks or results away. */
  isBusy: () => boolean;
  hasTask: (taskId: string) => boolean;
  /** The line may be used. */
  onReady: () => void;
  /** The hub gave out a task that was not sent on this line. */
  onMissed: (task: ListedTask) => void;
  /** Runs what an answer sets off; a failing disk is reported and not thrown. */
  guard: (work: () => void) => void;
}

/** One object for all lines, one after another. */
export class PublicLine {
  readonly #options: PublicLineOptions;
  /** Counts lines; undefined while there is none. */
  #line: number | undefined;
  #lines = 0;
  #isAsking = false;
  #isRegistered = false;
  #unanswered = 0;
  #looks = 0;
  #failedLooks = 0;
  /** Tasks of the last look that this worker does not have, with their generation. */
  #missed = new Map<string, number>();
  readonly #cancelTimers = new Map<'question' | 'beat' | 'look' | 'rejoin', () => void>();
  #rejoinNotBeforeMs = 0;
  #notReady: string | undefined;
  /** Why no task may arrive; undefined where nothing is known of that. */
  whyNoTasks: string | undefined;
  /** Something unusual that keeps no task away. */
  notice: string | undefined;

  constructor(options: PublicLineOptions) {
    this.#options = options;
  }

  /** The hub said `identified`: a message to the own id comes back on the registered line only. */
  open(): void {
    const { agentId, connection } = this.#options;
    this.close();
    this.#line = this.#lines += 1;
    if (this.#leaveNotReady()) return;
    this.#isAsking = true;
    connection.send(JSON.stringify({ type: 'message', to: agentId, payload: { text: QUESTION } }));
    this.#timer('question', UNANSWERED_MS, () => this.onRegistered());
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
    if (data !== QUESTION || !this.#isAsking) return;
    this.notice =
      'the hub still has an older connection of this worker, or another worker with the same id: ' +
      `this one asks its API every ${LOOK_MS / 1000} s for tasks until that connection ends`;
    this.#options.logger?.warn(
      {},
      `Tasks come up to ${(3 * LOOK_MS) / 1000} s later for now: ${this.notice}`,
    );
    this.#ready();
  }

  /** The message came back, or a task did. */
  onRegistered(): void {
    if (this.#line === undefined || this.#isRegistered) return;
    this.#isRegistered = true;
    this.notice = undefined;
    this.#ready();
  }

  close(): void {
    this.#line = undefined;
    for (const cancel of this.#cancelTimers.values()) cancel();
    this.#cancelTimers.clear();
    this.#isAsking = false;
    this.#isRegistered = false;
    this.#unanswered = 0;
    this.#looks = 0;
    this.#failedLooks = 0;
    this.#missed.clear();
  }

  /** Once a second: a worker that had work leaves when it has done it. */
  onTick(): void {
    if (this.#line !== undefined) this.#leaveNotReady();
  }

  /** This hub reads no status: a worker that cannot work on tasks stays away until it can. */
  setNotReady(reason: string | undefined): void {
    const wasAway = this.#notReady !== undefined && this.#line === undefined;
    this.#notReady = reason;
    if (reason !== undefined) this.onTick();
    else if (wasAway) {
      this.whyNoTasks = undefined;
      this.#options.connection.comeBack();
    }
  }

  /** A line of this worker has ended, and the hub's register has none of it any more: identifying brings this one in. */
  onAgentLeft(id: string | undefined): void {
    const { agentId, clock, connection } = this.#options;
    if (id !== agentId || this.#line === undefined) return;
    this.#isRegistered = false;
    this.#timer('rejoin', Math.max(0, this.#rejoinNotBeforeMs - clock.monotonicMs()), () => {
      this.#rejoinNotBeforeMs = clock.monotonicMs() + REJOIN_INTERVAL_MS;
      connection.identifyAgain();
    });
    this.#lookLater();
  }

  #ready(): void {
    const wasAsking = this.#isAsking;
    this.#isAsking = false;
    this.#timer('question', 0);
    if (!wasAsking) return;
    this.whyNoTasks = undefined;
    this.#options.onReady();
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer('look', LOOK_MS, () => void this.#look());
  }

  /** A task that nobody has accepted from one look to the next went to another line than this one. */
  async #look(): Promise<void> {
    const { api, guard, hasTask, onMissed } = this.#options;
    const line = this.#line;
    const assigned = await api.assigned();
    if (this.#line !== line) return;
    this.#looks += 1;
    if (!assigned.ok) this.#failed(assigned.failure.message);
    else {
      this.#failedLooks = 0;
      const missed = assigned.value.filter(
        (task) => task.updated_at === task.assigned_at && !hasTask(task.id),
      );
      const again = missed.filter(({ id, generation }) => this.#missed.get(id) === generation);
      this.#missed = new Map(missed.map(({ id, generation }) => [id, generation]));
      for (const task of again) guard(() => onMissed(task));
    }
    if (this.#line === line && (!this.#isRegistered || this.#looks < MAX_LOOKS_REGISTERED)) this.#lookLater();
  }

  #failed(message: string): void {
    const { connection, isBusy, logger, random } = this.#options;
    this.#failedLooks += 1;
    if (this.#isRegistered || this.#failedLooks < MAX_FAILED_LOOKS || isBusy()) return;
    const awayMs = AWAY_MS + Math.round(random() * JITTER_MS);
    this.whyNoTasks =
      `${this.notice}, and its API cannot be asked (${message}). ` +
      `The worker leaves the hub alone for ${Math.round(awayMs / 1000)} s, since each visit keeps that connection open`;
    logger?.warn({}, `No tasks for now: ${this.whyNoTasks}`);
    connection.leave(this.notice ?? '', awayMs);
  }

  #leaveNotReady(): boolean {
    const { connection, isBusy } = this.#options;
    if (this.#notReady === undefined || isBusy()) return false;
    this.whyNoTasks = this.#notReady;
    connection.leave(`not ready: ${this.#notReady}`, NOT_READY_MS);
    return true;
  }

  #beat(): void {
    const { connection } = this.#options;
    this.#timer('beat', BEAT_MS, () => {
      if (this.#unanswered >= MAX_UNANSWERED) return connection.replace('the hub answers no ping');
      this.#unanswered += 1;
      connection.ping('');
      this.#beat();
    });
  }

  /** Replaces the timer of that name; without `run` there is none any more. */
  #timer(name: 'question' | 'beat' | 'look' | 'rejoin', delayMs: number, run?: () => void): void {
    this.#cancelTimers.get(name)?.();
    if (run) this.#cancelTimers.set(name, this.#options.clock.schedule(delayMs, run));
    else this.#cancelTimers.delete(name);
  }
}
