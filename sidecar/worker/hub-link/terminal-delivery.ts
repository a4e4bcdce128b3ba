/**
 * Delivers results: each stays in the outbox until the hub acknowledges it or refuses it permanently. Only one result is sent at a time, so
 * that a refusal without a task id must be about it. A connection without an answer within 30 s is replaced.
 */
import type { Clock, Logger } from '../../base/ports.ts';
import { ACK_TIMEOUT_MS } from '../../base/protocol/limits.ts';
import type { Outbox, OutboxEntry, Settlement } from '../../base/storage/outbox.ts';

/** Reasons for which the hub refuses a result permanently. */
const MOOT_REASONS: readonly string[] = ['stale_generation', 'invalid_state', 'not_found'];
/**
 * How long results wait after a reconnect. The hub first assigns tasks again under a higher generation, and would
 * refuse a result that is sent before.
 */
const WAIT_AFTER_CONNECT_MS = 1_000;
/** Maximum number of refused results that are retained, in case the hub assigns the task again. */
const MAX_REFUSED_RESULTS = 64;

type TerminalFrame = OutboxEntry['frame'];
type WaitingResult = OutboxEntry & { notBeforeMs: number };

export interface TerminalDeliveryOptions {
  outbox: Outbox;
  clock: Clock;
  logger: Logger | undefined;
  /** Sends the frame now; false if the meter allows none. */
  send: (frame: TerminalFrame) => boolean;
  /** Called when the hub has acknowledged the result or refused it permanently. */
  onSettled: (frame: TerminalFrame) => void;
  /** Called if the hub does not answer a result in time. */
  onUnanswered: (cause: string) => void;
}

export class TerminalDelivery {
  readonly #options: TerminalDeliveryOptions;
  #entries: WaitingResult[] = [];
  /**
   * The result that was sent last and has no answer yet, with its generation at that time. Since then, the result may
   * have been moved to a newer generation.
   */
  #sentResult: (Pick<OutboxEntry, 'id' | 'frame'> & { sentAtMs: number }) | undefined;
  /** Refused results; sent again if the task is assigned under a higher generation. */
  readonly #refusedFrames = new Map<string, TerminalFrame>();
  #emptyListeners: (() => void)[] = [];

  constructor(options: TerminalDeliveryOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  get(taskId: string): OutboxEntry | undefined {
    return this.#entries.find(({ frame }) => frame.task_id === taskId);
  }

  /** Frame of the sent result that has no answer yet. */
  get sentFrame(): TerminalFrame | undefined {
    return this.#sentResult?.frame;
  }

  /** Reads the results of the outbox again. */
  reload(): void {
    const notBeforeById = new Map(this.#entries.map(({ id, notBeforeMs }) => [id, notBeforeMs]));
    const pending = this.#options.outbox.listPending();
    this.#entries = pending.map((entry) => ({ ...entry, notBeforeMs: notBeforeById.get(entry.id) ?? 0 }));
    if (this.isEmpty) this.stop();
  }

  onConnected(): void {
    this.sendAgain();
    this.reload();
    for (const entry of this.#entries) entry.notBeforeMs = this.#nowMs + WAIT_AFTER_CONNECT_MS;
  }

  /** Makes the next `pump` send the current result again, since it may be lost. */
  sendAgain(): void {
    this.#sentResult = undefined;
  }

  /** Sends the next result, unless one has no answer yet. */
  pump(): void {
    const { outbox, send, onUnanswered } = this.#options;
    if (this.#sentResult && this.#nowMs - this.#sentResult.sentAtMs >= ACK_TIMEOUT_MS) {
      onUnanswered(`the result of task ${this.#sentResult.frame.task_id} was not acknowledged`);
      return;
    }
    const { next } = this;
    if (!next || !send(next.frame)) return;
    const { id, frame } = next;
    this.#sentResult = { id, frame, sentAtMs: this.#nowMs };
    // Only the mark of a failure, which the hub may have counted, must be on disk at once; such a write waits for the
    // disk.
    outbox.markSent(id, { isUnsynced: frame.type === 'task_complete' });
    next.attempts += 1;
  }

  /** The next result to send; undefined while a sent result is unanswered, or if all results must wait longer. */
  get next(): WaitingResult | undefined {
    return this.#sentResult ? undefined : this.#entries.find(({ notBeforeMs }) => notBeforeMs <= this.#nowMs);
  }

  /** Handles a `task_ack` other than `accepted`. */
  onAcknowledged(taskId: string, status: string): void {
    const entry = this.get(taskId);
    if (entry) this.#settle(entry, { acknowledged: status });
  }

  /** Handles the refusal of the current result. */
  onRefused(reason: string): void {
    const { id, frame } = this.#sentResult ?? {};
    const entry = this.#entries.find((one) => one.id === id);
    this.#sentResult = undefined;
    // A result that has been moved to another generation since is sent again at once.
    if (!entry || entry.frame.generation !== frame?.generation) return;
    if (!MOOT_REASONS.includes(reason)) {
      const logFields = { task_id: frame.task_id, reason };
      this.#options.logger?.warn(logFields, 'The hub refused a result; the worker will send it again');
      entry.notBeforeMs = this.#nowMs + ACK_TIMEOUT_MS;
      return;
    }
    this.#refusedFrames.set(frame.task_id, frame);
    const [oldest] = this.#refusedFrames.keys();
    if (this.#refusedFrames.size > MAX_REFUSED_RESULTS && oldest !== undefined)
      this.#refusedFrames.delete(oldest);
    this.#settle(entry, { moot: reason });
  }

  /** Replaces the current result, which the hub cannot read, by a failure. */
  onUnreadable(): void {
    const { frame } = this.#sentResult ?? {};
    const entry = frame && this.get(frame.task_id);
    if (!entry) return;
    const { task_id, generation } = entry.frame;
    const error =
      'result_refused: the hub could not read the result; `ollama-sidecar show` on the worker shows it';
    const failure: TerminalFrame = { type: 'task_failed', task_id, generation, error };
    this.#settle(entry, { moot: 'validation_failed' }, frame.type === 'task_complete' ? failure : undefined);
  }

  /**
   * Handles an assignment whose result may be known. If it is, moves the result to the new generation and returns true,
   * so that the task is not run again. A failure that may have reached the hub is dropped instead: the assignment is
   * its retry.
   */
  resendResult(taskId: string, generation: number): boolean {
    const entry = this.get(taskId);
    const isFinal = entry?.frame.type === 'task_complete' || entry?.attempts === 0;
    if (entry && (isFinal || entry.frame.generation >= generation)) {
      if (entry.frame.generation <= generation) this.#options.outbox.moveToGeneration(taskId, generation);
      this.#entries = this.#entries.map((one) => (one === entry ? { ...one, notBeforeMs: 0 } : one));
      this.reload();
      return true;
    }
    if (entry) this.#settle(entry, { moot: 'assigned_again' });
    const refusedFrame = this.#refusedFrames.get(taskId);
    if (refusedFrame?.type !== 'task_complete' || refusedFrame.generation >= generation) return false;
    this.#refusedFrames.delete(taskId);
    this.#enqueue({ ...refusedFrame, generation });
    return true;
  }

  /** Resolves when all results are settled, or at `stop`. */
  waitUntilEmpty(): Promise<void> {
    return new Promise((resolve) => {
      this.#emptyListeners.push(resolve);
      this.reload();
    });
  }

  /** Resolves all promises of `waitUntilEmpty`. */
  stop(): void {
    for (const resolve of this.#emptyListeners.splice(0)) resolve();
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  #enqueue(frame: TerminalFrame): void {
    this.#options.outbox.enqueue(frame);
    this.reload();
  }

  #settle(entry: OutboxEntry, settlement: Settlement, replacement?: TerminalFrame): void {
    this.#options.outbox.settle(entry.id, settlement);
    if (this.#sentResult?.id === entry.id) this.#sentResult = undefined;
    this.#entries = this.#entries.filter(({ id }) => id !== entry.id);
    if (replacement) this.#enqueue(replacement);
    this.#logSettled(entry, settlement);
    this.#options.onSettled(entry.frame);
    if (this.isEmpty) this.stop();
  }

  #logSettled({ frame, attempts }: OutboxEntry, settlement: Settlement): void {
    const { logger } = this.#options;
    const logFields = { task_id: frame.task_id, ...settlement };
    if (!('moot' in settlement)) logger?.info(logFields, 'The hub acknowledged the result');
    // The result may have been accepted when it was sent earlier, and the answer may have been lost.
    else if (settlement.moot === 'invalid_state' && attempts > 1)
      logger?.info(
        logFields,
        'The hub already has this result, or gave up the task; see `ollama-sidecar show`',
      );
    else logger?.warn(logFields, 'The hub rejected a result permanently; see `ollama-sidecar show`');
  }
}
