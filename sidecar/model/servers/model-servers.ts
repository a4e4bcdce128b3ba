/** All model servers that this process has used: what they have loaded, and which of them are up. */
import type { Clock, Logger, ModelServer } from '../../ports.ts';
import { systemClock } from '../../system/clock.ts';
import { createOllamaServer } from '../ollama-server.ts';
import { KnownServer } from './known-server.ts';
import { ServerHealth, versionInTime } from './server-health.ts';
import type { ServerSettings } from './server-settings.ts';

export interface ModelServersOptions {
  clock?: Clock;
  logger?: Logger;
  createServer?: (url: string) => ModelServer;
  /** Those that are configured; they can stand in for each other. */
  servers?: readonly ServerSettings[];
}

export class ModelServers {
  readonly #options: ModelServersOptions;
  readonly #clock: Clock;
  readonly #known = new Map<string, KnownServer>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ModelServersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    for (const settings of options.servers ?? []) this.of(settings);
  }

  /** The server with these settings; it is known from then on. */
  of(settings: ServerSettings): KnownServer {
    const known = this.#known.get(settings.url);
    if (known) return known;
    const { url } = settings;
    const clock = this.#clock;
    const { logger, createServer = (baseUrl) => createOllamaServer({ baseUrl, clock }) } = this.#options;
    const client = createServer(url);
    const health = new ServerHealth({
      url,
      clock,
      logger,
      probe: () => versionInTime(client, clock),
      onChange: () => this.#changed(),
    });
    const server = new KnownServer(settings, health, clock.monotonicMs());
    this.#known.set(url, server);
    return server;
  }

  /** All servers that are configured or were asked. */
  get all(): KnownServer[] {
    return [...this.#known.values()];
  }

  /** Whether any server is known to have the model loaded. */
  isLoadedAnywhere(model: string): boolean {
    return this.all.some((server) => server.isLoaded(model));
  }

  /** Whether every server would have to load the model in place of another one. */
  wouldSwap(model: string): boolean {
    return this.all.every((server) => server.wouldSwap(model));
  }

  /** Calls that are on hold until a server is up. */
  get onHold(): number {
    return this.all.reduce((sum, { health }) => sum + health.waiting, 0);
  }

  /** Why no task could be worked on, in words; undefined while one of the configured servers is up. */
  get downReason(): string | undefined {
    // A server that only a task named keeps the others from nothing.
    const needed = this.#options.servers?.map((settings) => this.of(settings)) ?? this.all;
    const reasons = needed.map(({ health }) => health.downReason);
    return reasons.includes(undefined) ? undefined : reasons.join('; ') || undefined;
  }

  /** Which servers are down although tasks can be worked on, in words; undefined while all are up, and while none can. */
  get downNotice(): string | undefined {
    const down = this.all.flatMap(({ health }) => health.downReason ?? []);
    if (down.length === 0 || this.downReason !== undefined) return undefined;
    return `${down.length} of ${this.all.length} model servers are down: ${down.join('; ')}`;
  }

  /** Calls `listener` when a server went down or is up again; it must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Finds out which servers are there, where no call does. Never rejects. */
  async look(): Promise<void> {
    await Promise.all(this.all.map(({ health }) => health.look()));
  }

  /** Ends the probing of servers that are down. */
  stop(): void {
    for (const { health } of this.all) health.stop();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
