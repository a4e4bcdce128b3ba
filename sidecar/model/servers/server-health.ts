/**
 * Tracks whether a model server, or one model on it, can be used. While it is down, it is probed at growing intervals, and calls wait.
 *
 *   up → down        a call failed for a reason of the server (`markDown`), or a `check` got no response
 *   down → up        a sufficient probe succeeds, or a call is answered
 */
import type { Clock } from '../../base/ports.ts';
import type { Failure, Outcome } from '../../base/values/outcome.ts';

/** A request that succeeds once calls may be made again; ends early if `signal` aborts. */
export type Probe = (signal: AbortSignal) => Promise<Outcome<unknown>>;

/** Codes of an unreachable server: any response shows that it is back. */
const UNREACHABLE_CODES = new Set(['model_unreachable']);
/** Codes of a probe without a response. */
const NO_RESPONSE_CODES = new Set([...UNREACHABLE_CODES, 'model_timeout']);
/** Codes of a server that cannot load the model. */
const CANNOT_LOAD_CODES = new Set(['model_out_of_memory', 'model_load_failed']);
/** Codes of a server that responds but cannot run models: only a load or an answer shows that it recovered. */
const UNABLE_CODES = new Set([...CANNOT_LOAD_CODES, 'model_busy', 'model_server_error']);
/** Codes of failures that the server caused only if it does not answer a probe either. */
const DOUBTFUL_CODES = new Set(['model_timeout', 'model_incomplete', 'model_garbage']);

/** Returns whether the server responded but cannot run models, which may change within seconds. */
export const isServerUnable = ({ code }: Failure): boolean => UNABLE_CODES.has(code);

/** Returns whether the server cannot load the model, which waiting does not cure. */
export const cannotLoadModel = ({ code }: Failure): boolean => CANNOT_LOAD_CODES.has(code);

/** A change of the condition: the server went down (with the reason) or came up (after `downMs`). */
export interface ConditionChange {
  reason?: string;
  downMs: number;
}

export interface ServerHealthOptions {
  /** A request that a healthy server answers at once. */
  probe: Probe;
  clock: Clock;
  firstProbeMs: number;
  lastProbeMs: number;
  /** Called when the server goes down or comes up. Must not throw. */
  onChange?: (change: ConditionChange) => void;
}

export class ServerHealth {
  readonly #options: ServerHealthOptions;
  #outage: { reason: string; sinceMs: number; probe: Probe } | undefined;
  #probeCount = 0;
  #cancelProbe: (() => void) | undefined;
  readonly #stopped = new AbortController();
  readonly #waitingCalls = new Set<() => void>();

  constructor(options: ServerHealthOptions) {
    this.#options = options;
  }

  /** The reason why the server is down, for users; undefined while it is up. */
  get downReason(): string | undefined {
    return this.#outage?.reason;
  }

  /** Number of calls that wait for the server. */
  get waitingCount(): number {
    return this.#waitingCalls.size;
  }

  /**
   * Returns whether the server, and not the call, caused the failure. If so, marks the server as down. `load` loads the
   * call's model, which shows that a server that responds can run it again.
   */
  async attributeFailure(failure: Failure & { retryAfterMs?: number }, load: Probe): Promise<boolean> {
    const { code, message, retryAfterMs } = failure;
    // Another call has already detected the failure.
    if (code === 'model_away') return true;
    if (!UNREACHABLE_CODES.has(code) && !UNABLE_CODES.has(code)) {
      if (!DOUBTFUL_CODES.has(code) || (await this.#options.probe(this.#stopped.signal)).ok) return false;
    }
    this.markDown(message, UNABLE_CODES.has(code) ? load : undefined, retryAfterMs);
    return true;
  }

  /** Probes the server if it is not known to be down. Never rejects. */
  async check(): Promise<void> {
    if (this.#outage || this.#stopped.signal.aborted) return;
    const outcome = await this.#options.probe(this.#stopped.signal);
    if (outcome.ok || this.#outage || this.#stopped.signal.aborted) return;
    // Any other response means that the server is there: a proxy may forward calls but no probes.
    if (NO_RESPONSE_CODES.has(outcome.failure.code)) this.markDown(outcome.failure.message);
  }

  /** Records that a call was answered. */
  recordAnswer(): void {
    this.#probeCount = 0;
    if (this.#outage) this.#markUp();
  }

  /** Resolves when a call may be made again, or when `signal` aborts. */
  async waitUntilUp(signal: AbortSignal): Promise<void> {
    if (!this.#outage || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waitingCalls.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waitingCalls.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Stops probing permanently. */
  stop(): void {
    this.#stopped.abort();
    this.#endProbing();
  }

  /** Marks the server as down until `probe` succeeds; the first probe is after at least `pauseMs`. */
  markDown(reason: string, probe: Probe = this.#options.probe, pauseMs = 0): void {
    const { clock, onChange } = this.#options;
    const isNew = this.#outage === undefined;
    this.#outage = { sinceMs: clock.monotonicMs(), ...this.#outage, reason, probe };
    if (isNew) onChange?.({ reason, downMs: 0 });
    this.#probeLater(pauseMs);
  }

  #markUp(): void {
    const { clock, onChange } = this.#options;
    const downMs = Math.round(clock.monotonicMs() - (this.#outage?.sinceMs ?? 0));
    // If a call fails after a successful load, the pauses continue to grow.
    if (this.#outage?.probe === this.#options.probe) this.#probeCount = 0;
    this.#outage = undefined;
    this.#endProbing();
    onChange?.({ downMs });
    for (const end of this.#waitingCalls) end();
  }

  #endProbing(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #probeLater(pauseMs = 0): void {
    if (this.#cancelProbe) return;
    const { clock, firstProbeMs, lastProbeMs } = this.#options;
    const delayMs = Math.min(firstProbeMs * 2 ** Math.min(this.#probeCount, 16), lastProbeMs);
    this.#probeCount += 1;
    this.#cancelProbe = clock.schedule(Math.max(delayMs, pauseMs), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const cancelProbe = this.#cancelProbe;
    const { probe = this.#options.probe } = this.#outage ?? {};
    const outcome = await probe(this.#stopped.signal);
    const outage = this.#outage;
    // The probe was stopped, or a call brought the server up in the meantime.
    if (!outage || !cancelProbe || this.#cancelProbe !== cancelProbe) return;
    this.#cancelProbe = undefined;
    // A call that failed in the meantime may require another probe.
    if (outcome.ok && outage.probe === probe) return this.#markUp();
    if (!outcome.ok) outage.reason = outcome.failure.message;
    this.#probeLater();
  }
}
