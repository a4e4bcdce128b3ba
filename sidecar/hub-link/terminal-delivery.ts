/**
 * Delivery of results: each stays in the outbox until it is acknowledged or moot.
 * One is under way at a time, so that a refusal without a task id can only mean that one; what was dropped,
 * lost or not answered within 30 s is sent again.
 */
import type { Clock, Logger } from '../ports.ts';
import { ACK_TIMEOUT_MS } from '../protocol/limits.ts';
import type { Outbox, OutboxEntry, Settlement } from '../storage/outbox.ts';

/** Refusals that no further attempt can change. */
const MOOT_REASONS: readonly string[] = ['stale_generation', 'invalid_state', 'not_found'];
/**
 * After a reconnect the hub first gives tasks out again under a higher generation; a result sent before that
 * would be refused although it is wanted.
 */
const WAIT_AFTER_CONNECT_MS = 1_000;
/** Refused results that are kept in case the hub gives the task out again. */
const MAX_REMEMBERED = 64;

export interface TerminalDeliveryOptions {
  outbox: Outbox;
  clock: Clock;
  logger: Logger | undefined;
  /** Sends the frame now, or says that there is no room for it. */
  send: (entry: OutboxEntry) => boolean;
  /** The hub has it, or does not want it any more. */
  onSettled: (frame: OutboxEntry['frame']) => void;
}

export class TerminalDelivery {
  readonly #options: TerminalDeliveryOptions;
  #entries: OutboxEntry[] = [];
  #underWay: { entry: OutboxEntry; sentAtMs: number } | undefined;
  /** Results that this connection may still answer, oldest first: answers come in this order. */
  #sent: { id: number; frame: OutboxEntry['frame'] }[] = [];
  readonly #notBeforeMs = new Map<number, number>();
  /** Results that were refused; wanted again when the task comes back under a higher generation. */
  readonly #refused = new Map<string, OutboxEntry>();
  #emptyListeners: (() => void)[] = [];

  constructor(options: TerminalDeliveryOptions) {
    this.#options = options;
  }

  has(taskId: string): boolean {
    return this.#entries.some(({ frame }) => frame.task_id === taskId);
  }

  isUnderWay(taskId: string): boolean {
    return this.#underWay?.entry.frame.task_id === taskId;
  }

  /** Reads the outbox again. */
  reload(): void {
    this.#entries = this.#options.outbox.pending();
    const waiting = new Set(this.#entries.map(({ id }) => id));
    for (const id of this.#notBeforeMs.keys()) if (!waiting.has(id)) this.#notBeforeMs.delete(id);
    this.#resolveIfEmpty();
  }

  connected(): void {
    this.disconnected();
    this.reload();
    const untilMs = this.#nowMs + WAIT_AFTER_CONNECT_MS;
    for (const { id } of this.#entries) this.#notBeforeMs.set(id, untilMs);
  }

  disconnected(): void {
    this.#underWay = undefined;
    this.#sent = [];
  }

  /** Sends the next result when none is under way; one that is overdue counts as lost. */
  pump(): void {
    if (this.#underWay && this.#nowMs - this.#underWay.sentAtMs >= ACK_TIMEOUT_MS) {
      this.#options.logger?.warn(
        { task_id: this.#underWay.entry.frame.task_id },
        'A result was not answered; it is sent again',
      );
      this.#underWay = undefined;
    }
    if (this.#underWay) return;
    const next = this.#entries.find(({ id }) => (this.#notBeforeMs.get(id) ?? 0) <= this.#nowMs);
    if (!next || !this.#options.send(next)) return;
    this.#underWay = { entry: next, sentAtMs: this.#nowMs };
    this.#sent.push({ id: next.id, frame: next.frame });
    // Only of a failure it matters later whether the hub may have counted it; a write waits for the disk.
    this.#options.outbox.markSent(next.id, { soon: next.frame.type === 'task_complete' });
    next.attempts += 1;
  }

  /** Whether something waits only for room on the line. */
  get wantsToSend(): boolean {
    return !this.#underWay && this.#entries.some(({ id }) => (this.#notBeforeMs.get(id) ?? 0) <= this.#nowMs);
  }

  /** `task_ack` other than `accepted`. */
  acknowledged(taskId: string, status: string): void {
    this.#answered(({ task_id }) => task_id === taskId);
    const entry = this.#entries.find(({ frame }) => frame.task_id === taskId);
    if (entry) this.#settle(entry, { acknowledged: status });
  }

  /** The refused result, where it is known which one that is. */
  refused(type: OutboxEntry['frame']['type'], reason: string, taskId?: string): OutboxEntry | undefined {
    const entry = this.#meant(type, taskId);
    if (!entry) return undefined;
    if (this.#underWay?.entry.id === entry.id) this.#underWay = undefined;
    if (!MOOT_REASONS.includes(reason)) {
      this.#notBeforeMs.set(entry.id, this.#nowMs + ACK_TIMEOUT_MS);
      return entry;
    }
    this.#remember(entry);
    this.#settle(entry, { moot: reason });
    return entry;
  }

  /** The hub cannot read the result; sending it again would be one more mistake. A failure takes its place. */
  unreadable(type: OutboxEntry['frame']['type']): void {
    const entry = this.#meant(type);
    if (!entry) return;
    const { task_id: taskId, generation } = entry.frame;
    const error =
      'result_refused: the hub could not read the result; `ollama-sidecar show` on its worker has it';
    this.#settle(
      entry,
      { moot: 'validation_failed' },
      type === 'task_complete' ? { type: 'task_failed', task_id: taskId, generation, error } : undefined,
    );
  }

  /** The frame under way may be the one that was dropped. */
  rateLimited(): void {
    if (this.#underWay) this.#sent.pop();
    this.#underWay = undefined;
  }

  /**
   * The hub gave a task out (again). True when its result is known already: it then counts for the new generation
   * and nothing has to be run. A failure that may have reached the hub is forgotten: this is the retry.
   */
  answerAgain(taskId: string, generation: number): boolean {
    const { outbox } = this.#options;
    const entry = this.#entries.find(({ frame }) => frame.task_id === taskId);
    if (entry && entry.frame.generation > generation) return true;
    if (
      entry &&
      (entry.frame.type === 'task_complete' || entry.attempts === 0 || entry.frame.generation === generation)
    ) {
      if (this.#underWay?.entry.id === entry.id) this.#underWay = undefined;
      this.#notBeforeMs.delete(entry.id);
      outbox.restamp(taskId, generation);
      this.reload();
      return true;
    }
    if (entry) this.#settle(entry, { moot: 'assigned_again' });
    const refused = this.#refused.get(taskId);
    if (refused?.frame.type !== 'task_complete' || refused.frame.generation >= generation) return false;
    this.#refused.delete(taskId);
    outbox.enqueue({ ...refused.frame, generation });
    this.reload();
    return true;
  }

  /** Resolves when nothing waits. */
  whenEmpty(): Promise<void> {
    this.reload();
    if (this.#entries.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptyListeners.push(resolve));
  }

  /** Ends all waiting for emptiness. */
  stop(): void {
    for (const resolve of this.#emptyListeners.splice(0)) resolve();
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  /** Undefined when the answer is about a sending that no longer counts. */
  #meant(type: OutboxEntry['frame']['type'], taskId?: string): OutboxEntry | undefined {
    const matches = (frame: OutboxEntry['frame']) =>
      frame.type === type && (taskId === undefined || frame.task_id === taskId);
    const sent = this.#answered(matches);
    if (!sent) return this.#entries.find((entry) => entry.attempts > 0 && matches(entry.frame));
    const entry = this.#entries.find(({ id }) => id === sent.id);
    return entry?.frame.generation === sent.frame.generation ? entry : undefined;
  }

  /** Takes the oldest sending that matches off the list, and with it those before, which had no answer. */
  #answered(matches: (frame: OutboxEntry['frame']) => boolean) {
    const index = this.#sent.findIndex(({ frame }) => matches(frame));
    return index < 0 ? undefined : this.#sent.splice(0, index + 1).at(-1);
  }

  #settle(entry: OutboxEntry, settlement: Settlement, instead?: OutboxEntry['frame']): void {
    this.#options.outbox.settle(entry.id, settlement);
    if (this.#underWay?.entry.id === entry.id) this.#underWay = undefined;
    this.#notBeforeMs.delete(entry.id);
    this.#entries = this.#entries.filter(({ id }) => id !== entry.id);
    if (instead) this.#entries.push(this.#options.outbox.enqueue(instead));
    this.#logSettled(entry, settlement);
    this.#options.onSettled(entry.frame);
    this.#resolveIfEmpty();
  }

  #logSettled({ frame, attempts }: OutboxEntry, settlement: Settlement): void {
    const { logger } = this.#options;
    const note = { task_id: frame.task_id, ...settlement };
    if (!('moot' in settlement)) logger?.info(note, 'The hub has the result');
    // The answer to an earlier sending may have been lost.
    else if (settlement.moot === 'invalid_state' && attempts > 1)
      logger?.info(note, 'The hub has this result already, or gave the task up; see `ollama-sidecar show`');
    else logger?.warn(note, 'The hub rejected a result permanently; see `ollama-sidecar show`');
  }

  #remember(entry: OutboxEntry): void {
    this.#refused.set(entry.frame.task_id, entry);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_REMEMBERED && oldest !== undefined) this.#refused.delete(oldest);
  }

  #resolveIfEmpty(): void {
    if (this.#entries.length === 0) this.stop();
  }
}
