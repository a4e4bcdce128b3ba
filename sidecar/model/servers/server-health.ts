/**
 * Whether a model server, or one model on it, can be used. While it is down it is probed less and less often, and calls wait
 * here.
 *
 *   up → down        a call failed for a reason of the server's (`goDown`), or nobody answered a `look`
 *   down → up        a probe of the kind that shows it succeeds, or a call is answered
 */
import type { Clock, Failure, Outcome } from '../../ports.ts';

/** A question that succeeds when calls may be made again; ends early when `signal` aborts. */
export type Probe = (signal: AbortSignal) => Promise<Outcome<unknown>>;

/** Codes of a server that is not there: whatever it answers shows that it is back. */
const GONE = new Set(['model_unreachable']);
/** Codes of a probe that was not answered. */
const SILENT = new Set([...GONE, 'model_timeout']);
/** Codes of a server that cannot load the model. */
const CANNOT_LOAD = new Set(['model_out_of_memory', 'model_load_failed']);
/** Codes of a server that is there and cannot run models: only a load or an answer shows that it can again. */
const UNABLE = new Set([...CANNOT_LOAD, 'model_busy', 'model_server_error']);
/** Codes of failures that are the server's if it does not answer a probe either, and the call's otherwise. */
const DOUBTFUL = new Set(['model_timeout', 'model_incomplete', 'model_garbage']);

/** Reports whether the server answered and refused; that may pass within seconds. */
export const isUnable = ({ code }: Failure): boolean => UNABLE.has(code);

/** Reports whether the server cannot load the model, which no waiting mends. */
export const cannotLoad = ({ code }: Failure): boolean => CANNOT_LOAD.has(code);

/** The server went down (with the reason), or is up again (after `downMs`). */
export interface Change {
  reason?: string;
  downMs: number;
}

export interface ServerHealthOptions {
  /** Asks what a healthy server answers at once. */
  probe: Probe;
  clock: Clock;
  firstProbeMs: number;
  lastProbeMs: number;
  /** Must not throw. */
  onChange?: (change: Change) => void;
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

  /** Calls that wait for the server. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Reports whether the failure is the server's and not the call's; then the server is down. `load` loads the model of the
   * call, which shows that a server which answers can run it again.
   */
  async blame(failure: Failure & { retryAfterMs?: number }, load: Probe): Promise<boolean> {
    const { code, message, retryAfterMs } = failure;
    // The call waited while another one found that out.
    if (code === 'model_away') return true;
    if (!GONE.has(code) && !UNABLE.has(code)) {
      if (!DOUBTFUL.has(code) || (await this.#options.probe(this.#stopped.signal)).ok) return false;
    }
    this.goDown(message, UNABLE.has(code) ? load : undefined, retryAfterMs);
    return true;
  }

  /** Finds out whether the server is there, where no call does. One that is down is probed anyway. Never rejects. */
  async look(): Promise<void> {
    if (this.#down || this.#stopped.signal.aborted) return;
    const answer = await this.#options.probe(this.#stopped.signal);
    if (answer.ok || this.#down || this.#stopped.signal.aborted) return;
    // Whatever else it answers, it is there: a proxy may pass on calls and no probes.
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

  /** Ends the probing, for good. */
  stop(): void {
    this.#stopped.abort();
    this.#endProbing();
  }

  /** Takes the server for down until `probe` succeeds, which is asked no sooner than in `pauseMs`. */
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
    // After a load that a failed call followed, the pauses grow on.
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
    // Stopped, or up by a call in the meantime.
    if (!down || !scheduled || this.#cancelProbe !== scheduled) return;
    this.#cancelProbe = undefined;
    // A call that failed meanwhile may ask for another proof.
    if (answer.ok && down.probe === probe) return this.#goUp();
    if (!answer.ok) down.reason = answer.failure.message;
    this.#probeLater();
  }
}
