/**
 * What is known of one model server: it answers, or it is away since some time and for some reason. While it is away it is
 * probed, after 1 s and then less and less often up to every 30 s, and calls wait here until it is back.
 *
 *   answering → away        a call failed for a reason of the server's (`blame`)
 *   away → answering        a probe is answered, or, where the server answers and cannot run models, a call is
 */
import type { Clock, Failure, Logger, Outcome } from '../ports.ts';

const FIRST_PROBE_MS = 1_000;
const LAST_PROBE_MS = 30_000;

/** The server is not there: whatever it answers shows that it is back. */
const GONE = new Set(['model_unreachable']);
/** The server is there and cannot run models: only an answered call shows that it can again. */
const UNABLE = new Set(['model_busy', 'model_server_error', 'model_out_of_memory']);
/** Failures of the server or of the call: the server's where it does not answer a probe either. */
const DOUBTFUL = new Set(['model_timeout', 'model_incomplete', 'model_garbage']);

/** Whether the server answered and said that it cannot; that may pass within seconds. */
export const isUnable = ({ code }: Failure): boolean => UNABLE.has(code);

export interface Away {
  /** For people. */
  reason: string;
  /** Time of the monotonic clock. */
  sinceMs: number;
}

/** Where a call waits for the server, or the servers, that could answer it. */
export interface Circuit {
  /** Undefined while one answers. */
  readonly away: Away | undefined;
  /** Another server than the one of the last call answers. */
  readonly hasOther: boolean;
  /** Whether the failure is the server's and not the call's; then that server counts as away. */
  blame(failure: Failure): Promise<boolean>;
  /** A call was answered. */
  answered(): void;
  /** Resolves when the call may be made again, or when `signal` aborts. */
  back(signal: AbortSignal): Promise<void>;
}

export interface ServerCircuitOptions {
  url: string;
  /** A question that a healthy server answers at once. */
  probe: () => Promise<Outcome<unknown>>;
  clock: Clock;
  logger?: Logger;
  /** The server went away, or is back. Must not throw. */
  onChange?: () => void;
}

export class ServerCircuit implements Circuit {
  readonly hasOther = false;
  readonly #options: ServerCircuitOptions;
  #away: (Away & { needsCall: boolean }) | undefined;
  #probes = 0;
  #cancelProbe: (() => void) | undefined;
  #waiting = new Set<() => void>();

  constructor(options: ServerCircuitOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get away(): Away | undefined {
    return this.#away;
  }

  /** Calls that wait for the server. */
  get held(): number {
    return this.#waiting.size;
  }

  async blame(failure: Failure): Promise<boolean> {
    const { code, message } = failure;
    // It waited while another call found that out.
    if (code === 'model_away') return true;
    if (!GONE.has(code) && !UNABLE.has(code)) {
      if (!DOUBTFUL.has(code) || (await this.#options.probe()).ok) return false;
    }
    this.#leave(message, UNABLE.has(code));
    return true;
  }

  answered(): void {
    if (this.#away) this.#return();
  }

  async back(signal: AbortSignal): Promise<void> {
    if (!this.#away || signal.aborted) return;
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

  /** Ends the probing. */
  stop(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #leave(reason: string, needsCall: boolean): void {
    const { clock, logger, onChange, url } = this.#options;
    const isNew = this.#away === undefined;
    this.#away = { sinceMs: clock.monotonicMs(), ...this.#away, reason, needsCall };
    if (isNew) {
      this.#probes = 0;
      logger?.warn({ url, reason }, 'The model server is away: it is asked for nothing until it is back');
      onChange?.();
    }
    this.#probeLater();
  }

  #return(): void {
    const { clock, logger, onChange, url } = this.#options;
    const awayMs = Math.round(clock.monotonicMs() - (this.#away?.sinceMs ?? 0));
    this.#away = undefined;
    this.stop();
    logger?.info({ url, away_ms: awayMs }, 'The model server is back');
    onChange?.();
    this.#letGo();
  }

  #letGo(): void {
    for (const end of this.#waiting) end();
  }

  #probeLater(): void {
    if (this.#cancelProbe) return;
    const delayMs = Math.min(FIRST_PROBE_MS * 2 ** Math.min(this.#probes, 16), LAST_PROBE_MS);
    this.#probes += 1;
    this.#cancelProbe = this.#options.clock.schedule(delayMs, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const scheduled = this.#cancelProbe;
    const answer = await this.#options.probe();
    const away = this.#away;
    // Stopped, or back by a call in the meantime.
    if (!away || !scheduled || this.#cancelProbe !== scheduled) return;
    this.#cancelProbe = undefined;
    if (!answer.ok) {
      away.reason = answer.failure.message;
      this.#probeLater();
    } else if (!away.needsCall || this.#waiting.size === 0) this.#return();
    else {
      this.#letGo();
      // What is tried now may be cut off and tell nothing.
      this.#probeLater();
    }
  }
}
