/**
 * Whether one model server is up. While it is down it is probed, after 1 s and then less and less often up to every 30 s, and
 * calls wait here.
 *
 *   up → down        a call failed for a reason of the server's (`blame`), or nobody answered a `look`
 *   down → up        a probe is answered, or, where the server answers and cannot run models, a call is
 */
import { withoutCredentials } from '../../addresses/without-credentials.ts';
import type { Clock, Failure, Logger, ModelServer, Outcome } from '../../ports.ts';

const FIRST_PROBE_MS = 1_000;
const LAST_PROBE_MS = 30_000;
/** A server that takes longer to report its version is not there. */
const PROBE_TIMEOUT_MS = 5_000;

/** The server is not there: whatever it answers shows that it is back. */
const GONE = new Set(['model_unreachable']);
/** Nobody answered a probe. */
const SILENT = new Set([...GONE, 'model_timeout']);
/** The server is there and cannot run models: only an answered call shows that it can again. */
const UNABLE = new Set(['model_busy', 'model_server_error', 'model_out_of_memory']);
/** Failures of the server or of the call: the server's where it does not answer a probe either. */
const DOUBTFUL = new Set(['model_timeout', 'model_incomplete', 'model_garbage']);

/** Whether the server answered and said that it cannot; that may pass within seconds. */
export const isUnable = ({ code }: Failure): boolean => UNABLE.has(code);

export interface ServerHealthOptions {
  url: string;
  /** A question that a healthy server answers at once. */
  probe: () => Promise<Outcome<unknown>>;
  clock: Clock;
  logger?: Logger | undefined;
  /** The server went down, or is up again. Must not throw. */
  onChange?: () => void;
}

export class ServerHealth {
  readonly #options: ServerHealthOptions;
  #down: { reason: string; sinceMs: number; needsCall: boolean } | undefined;
  #probes = 0;
  #cancelProbe: (() => void) | undefined;
  #isStopped = false;
  readonly #waiting = new Set<() => void>();

  constructor(options: ServerHealthOptions) {
    this.#options = options;
  }

  /** Why the server is down, for people; undefined while it is up. */
  get downReason(): string | undefined {
    return this.#down?.reason;
  }

  /** Calls that wait for the server. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether the failure is the server's and not the call's; then the server is down. */
  async blame(failure: Failure): Promise<boolean> {
    const { code, message } = failure;
    // It waited while another call found that out.
    if (code === 'model_away') return true;
    if (!GONE.has(code) && !UNABLE.has(code)) {
      if (!DOUBTFUL.has(code) || (await this.#options.probe()).ok) return false;
    }
    this.#goDown(message, UNABLE.has(code));
    return true;
  }

  /** Finds out whether the server is there, where no call does. One that is down is probed anyway. Never rejects. */
  async look(): Promise<void> {
    if (this.#down || this.#isStopped) return;
    const answer = await this.#options.probe();
    if (answer.ok || this.#down || this.#isStopped) return;
    // Whatever else it says, somebody is there: a proxy may pass on calls and no probes.
    if (SILENT.has(answer.failure.code)) this.#goDown(answer.failure.message, false);
  }

  /** A call was answered. */
  answered(): void {
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
    this.#isStopped = true;
    this.#endProbing();
  }

  #endProbing(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
  }

  #goDown(reason: string, needsCall: boolean): void {
    const { clock, logger, onChange, url } = this.#options;
    const isNew = this.#down === undefined;
    this.#down = { sinceMs: clock.monotonicMs(), ...this.#down, reason, needsCall };
    if (isNew) {
      this.#probes = 0;
      logger?.warn(
        { url: withoutCredentials(url), reason },
        'The model server is down: calls wait until it answers',
      );
      onChange?.();
    }
    this.#probeLater();
  }

  #goUp(): void {
    const { clock, logger, onChange, url } = this.#options;
    const downMs = Math.round(clock.monotonicMs() - (this.#down?.sinceMs ?? 0));
    this.#down = undefined;
    this.#endProbing();
    logger?.info({ url: withoutCredentials(url), away_ms: downMs }, 'The model server is back');
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
    const down = this.#down;
    // Stopped, or up by a call in the meantime.
    if (!down || !scheduled || this.#cancelProbe !== scheduled) return;
    this.#cancelProbe = undefined;
    if (!answer.ok) {
      down.reason = answer.failure.message;
      this.#probeLater();
    } else if (!down.needsCall || this.#waiting.size === 0) this.#goUp();
    else {
      this.#letGo();
      // A probe that runs now may be cut off and show nothing.
      this.#probeLater();
    }
  }
}

/** The server's version, as a probe; a failure where it does not report it in time. */
export async function versionInTime(server: ModelServer, clock: Clock): Promise<Outcome<string>> {
  const ended = new AbortController();
  const cancel = clock.schedule(PROBE_TIMEOUT_MS, () => ended.abort());
  const answer = await server.version(ended.signal);
  cancel();
  if (answer.ok || !ended.signal.aborted) return answer;
  const message = `the model server does not report its version within ${PROBE_TIMEOUT_MS / 1000} s`;
  return { ok: false, failure: { code: 'model_timeout', message } };
}
