/**
 * Tracks whether a model server, or one model on it, can be used. While it is down, it is probed at growing intervals, and calls wait.
 *
 *   up → down        a call failed for a reason of the server (`goDown`), or a `look` got no response
 *   down → up        a sufficient probe succeeds, or a call is answered
 */
import type { Clock } from '../../base/ports.ts';
import type { Failure, Outcome } from '../../base/values/outcome.ts';

/** A request that succeeds once calls may be made again; ends early if `signal` aborts. */
export type Probe = (signal: AbortSignal) => Promise<Outcome<unknown>>;

/** Codes of an unreachable server: any response shows that it is back. */
const GONE = new Set(['model_unreachable']);
/** Codes of a probe without a response. */
const SILENT = new Set([...GONE, 'model_timeout']);
/** Codes of a server that cannot load the model. */
const CANNOT_LOAD = new Set(['model_out_of_memory', 'model_load_failed']);
/** Codes of a server that responds but cannot run models: only a load or an answer shows that it recovered. */
const UNABLE = new Set([...CANNOT_LOAD, 'model_busy', 'model_server_error']);
/** Codes that are the server's failure only if it does not answer a probe either. */
const DOUBTFUL = new Set(['model_timeout', 'model_incomplete', 'model_garbage']);

/** Reports whether the server responded and refused, which may pass within seconds. */
export const isUnable = ({ code }: Failure): boolean => UNABLE.has(code);

/** Reports whether the server cannot load the model, which waiting does not cure. */
export const cannotLoad = ({ code }: Failure): boolean => CANNOT_LOAD.has(code);

/** The server went down (with the reason) or came up (after `downMs`). */
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
  #down: { reason: string; sinceMs: number; probe: Probe } | undefined;
  #probes = 0;
  #cancelProbe: (() => void) | undefined;
  readonly #stopped = new AbortController();
  readonly #waiting = new Set<() => void>();

  constructor(options: ServerHealthOptions) {
    this.#options = options;
  }

  /** Why the server is down, for users; undefined while it is up. */
  get downReason(): string | undefined {
    return this.#down?.reason;
  }

  /** Number of calls that wait for the server. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Reports whether the failure is the server's and not the call's; the server is then down. `load` loads the call's
   * model, which shows that a server that responds can run it again.
   */
  async blame(failure: Failure & { retryAfterMs?: number }, load: Probe): Promise<boolean> {
    const { code, message, retryAfterMs } = failure;
    // Another call has already detected the failure.
    if (code === 'model_away') return true;
    if (!GONE.has(code) && !UNABLE.has(code)) {
      if (!DOUBTFUL.has(code) || (await this.#options.probe(this.#stopped.signal)).ok) return false;
    }
    this.goDown(message, UNABLE.has(code) ? load : undefined, retryAfterMs);
    return true;
  }

  /** Probes the server if it is not known to be down. Never rejects. */
  async look(): Promise<void> {
    if (this.#down || this.#stopped.signal.aborted) return;
    const answer = await this.#options.probe(this.#stopped.signal);
    if (answer.ok || this.#down || this.#stopped.signal.aborted) return;
    // Any other response means that the server is there: a proxy may forward calls but no probes.
    if (SILENT.has(answer.failure.code)) this.goDown(answer.failure.message);
  }

  /** Records that a call was answered. */
  answered(): void {
    this.#probes = 0;
    if (this.#down) this.#goUp();
  }

  /** Resolves when a call may be made again, or when `signal` aborts. */
  async whenUp(signal: AbortSignal): Promise<void> {
    if (!this.#down || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Stops probing permanently. */
  stop(): void {
    this.#stopped.abort();
    this.#endProbing();
  }

  /** Marks the server as down until `probe` succeeds; the first probe is after at least `pauseMs`. */
  goDown(reason: string, probe: Probe = this.#options.probe, pauseMs = 0): void {
    const { clock, onChange } = this.#options;
    const isNew = this.#down === undefined;
    this.#down = { sinceMs: clock.monotonicMs(), ...this.#down, reason, probe };
    if (isNew) onChange?.({ reason, downMs: 0 });
    this.#probeLater(pauseMs);
  }

  #goUp(): void {
    const { clock, onChange } = this.#options;
    const downMs = Math.round(clock.monotonicMs() - (this.#down?.sinceMs ?? 0));
    // If a call fails after a successful load, the pauses continue to grow.
    if (this.#down?.probe === this.#options.probe) this.#probes = 0;
    this.#down = undefined;
    this.#endProbing();
    onChange?.({ downMs });
    for (const end of this.#waiting) end();
  }

  #endProbing(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #probeLater(pauseMs = 0): void {
    if (this.#cancelProbe) return;
    const { clock, firstProbeMs, lastProbeMs } = this.#options;
    const delayMs = Math.min(firstProbeMs * 2 ** Math.min(this.#probes, 16), lastProbeMs);
    this.#probes += 1;
    this.#cancelProbe = clock.schedule(Math.max(delayMs, pauseMs), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const scheduled = this.#cancelProbe;
    const { probe = this.#options.probe } = this.#down ?? {};
    const answer = await probe(this.#stopped.signal);
    const down = this.#down;
    // Stopped, or brought up by a call in the meantime.
    if (!down || !scheduled || this.#cancelProbe !== scheduled) return;
    this.#cancelProbe = undefined;
    // A call that failed in the meantime may require another probe.
    if (answer.ok && down.probe === probe) return this.#goUp();
    if (!answer.ok) down.reason = answer.failure.message;
    this.#probeLater();
  }
}
