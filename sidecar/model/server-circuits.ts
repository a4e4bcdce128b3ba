/** The circuits of all model servers that a worker has used, one for each address. */
import type { Clock, Logger, ModelServer } from '../ports.ts';
import { ServerCircuit } from './server-circuit.ts';

/** A server that takes longer to tell its version is not there. */
const PROBE_TIMEOUT_MS = 5_000;

export interface ServerCircuitsOptions {
  createServer: (baseUrl: string) => ModelServer;
  clock: Clock;
  logger?: Logger;
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

  /** Why no task can be worked on, in words; undefined while all servers answer. */
  get awayReason(): string | undefined {
    return [...this.#circuits.values()].find(({ away }) => away)?.away?.reason;
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
