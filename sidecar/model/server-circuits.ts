/** The circuits of all model servers that a worker has used, one for each address. */
import type { Clock, Logger, ModelServer } from '../ports.ts';
import { ServerCircuit } from './server-circuit.ts';

/** A server that takes longer to tell its version is not there. */
const PROBE_TIMEOUT_MS = 5_000;

export interface ServerCircuitsOptions {
  createServer: (baseUrl: string) => ModelServer;
  clock: Clock;
  logger?: Logger;
  /** Servers that can stand in for each other, by their normalized URLs. */
  endpoints?: readonly string[];
}

/** One server, for those who watch. */
export interface ServerState {
  url: string;
  /** Why it is away; undefined while it answers, and while it was not asked yet. */
  away?: string;
}

export class ServerCircuits {
  readonly #options: ServerCircuitsOptions;
  readonly #circuits = new Map<string, ServerCircuit>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ServerCircuitsOptions) {
    this.#options = options;
  }

  /** The circuit of the server at `url`. */
  of(url: string): ServerCircuit {
    const known = this.#circuits.get(url);
    if (known) return known;
    const { createServer, clock, logger } = this.#options;
    const server = createServer(url);
    const circuit = new ServerCircuit({
      url,
      clock,
      logger,
      probe: () => versionInTime(server, clock),
      onChange: () => this.#changed(),
    });
    this.#circuits.set(url, circuit);
    return circuit;
  }

  /** All servers that are configured or were asked. */
  get states(): ServerState[] {
    const urls = new Set([...(this.#options.endpoints ?? []), ...this.#circuits.keys()]);
    return [...urls].map((url) => {
      const reason = this.#circuits.get(url)?.away?.reason;
      return { url, ...(reason !== undefined && { away: reason }) };
    });
  }

  /**
   * Why a task could not be worked on, in words; undefined while every server answers. Of those that stand in for each
   * other one is enough.
   */
  get awayReason(): string | undefined {
    const shared = this.#options.endpoints ?? [];
    // A server that only a task named keeps the others from nothing.
    const states = shared.length === 0 ? this.states : this.states.filter(({ url }) => shared.includes(url));
    if (shared.length > 0 && states.some(({ away }) => away === undefined)) return undefined;
    const reasons = states.map(({ away }) => away).filter((reason) => reason !== undefined);
    return reasons.join('; ') || undefined;
  }

  /** Which servers are away although tasks can be worked on, in words; undefined while all answer, and while none can. */
  get awayNotice(): string | undefined {
    if (this.awayReason !== undefined) return undefined;
    const away = this.states.filter((state) => state.away !== undefined);
    if (away.length === 0) return undefined;
    const reasons = away.map(({ away: reason }) => reason).join('; ');
    return `${away.length} of ${this.states.length} model servers away: ${reasons}`;
  }

  /** How many servers are away. */
  get awayCount(): number {
    return [...this.#circuits.values()].filter(({ away }) => away).length;
  }

  /** Calls that wait for a server. */
  get held(): number {
    return [...this.#circuits.values()].reduce((sum, { held }) => sum + held, 0);
  }

  /** Calls `listener` when a server goes away or is back; it must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Ends all probing. */
  stop(): void {
    for (const circuit of this.#circuits.values()) circuit.stop();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function versionInTime(server: ModelServer, clock: Clock) {
  const ended = new AbortController();
  const cancel = clock.schedule(PROBE_TIMEOUT_MS, () => ended.abort());
  const answer = await server.version(ended.signal);
  cancel();
  if (!answer.ok && ended.signal.aborted) {
    const message = `the model server does not tell its version within ${PROBE_TIMEOUT_MS / 1000} s`;
    return { ok: false as const, failure: { code: 'model_timeout', message } };
  }
  return answer;
}
