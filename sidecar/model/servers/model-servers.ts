/** All model servers that this process has used, with their loaded models and conditions. */
import type { Clock, Logger } from '../../base/ports.ts';
import { systemClock } from '../../base/system/clock.ts';
import type { InstalledModel, ModelServer } from '../chat.ts';
import { createOllamaServer } from '../ollama-server.ts';
import { ReadingSpeeds } from '../reading-speeds.ts';
import { ScheduledServer } from './scheduled-server.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import type { ServerConditionOptions } from './server-condition.ts';
import type { ServerSettings } from './server-settings.ts';

/** Maximum number of models that hubs accept; further models are left out. */
const MAX_MODELS = 1024;
/** Maximum length of a model name that hubs accept; models with longer names are left out. */
const MAX_NAME_CHARS = 256;

export interface ModelServersOptions {
  clock?: Clock;
  logger?: Logger;
  createServer?: (url: string) => ModelServer;
  /** The configured servers, which can replace each other. */
  servers?: readonly ServerSettings[];
  /** Learned reading speeds. Default: speeds that live as long as the process. */
  speeds?: ReadingSpeeds;
}

export class ModelServers {
  readonly speeds: ReadingSpeeds;
  readonly #options: ModelServersOptions;
  readonly #clock: Clock;
  readonly #servers = new Map<string, ScheduledServer>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ModelServersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.speeds = options.speeds ?? new ReadingSpeeds();
    for (const settings of options.servers ?? []) this.getOrAdd(settings);
  }

  /** Returns the server with these settings; registers it if it is new. */
  getOrAdd(settings: ServerSettings): ScheduledServer {
    const existing = this.#servers.get(settings.url);
    if (existing) return existing;
    const { url } = settings;
    const clock = this.#clock;
    const { logger, createServer = (baseUrl) => createOllamaServer({ baseUrl, clock }) } = this.#options;
    const client = createServer(url);
    const onChange: ServerConditionOptions['onChange'] = ({ reason, downMs }, model) => {
      const logFields = { url: removeCredentials(url), ...(model !== undefined && { model }) };
      if (reason === undefined) logger?.info({ ...logFields, away_ms: downMs }, 'The model server is back');
      else if (model === undefined)
        logger?.warn({ ...logFields, reason }, 'The model server is down: calls wait until it answers');
      else
        logger?.warn(
          { ...logFields, reason },
          'The model server cannot load a model: tasks that need this model use other model servers',
        );
      for (const listener of this.#listeners) listener();
    };
    const server = new ScheduledServer({ settings, client, clock, onChange }, this.speeds);
    this.#servers.set(url, server);
    return server;
  }

  /** All servers that are configured or were used. */
  get all(): ScheduledServer[] {
    return [...this.#servers.values()];
  }

  /** Returns whether any server is known to have the model loaded. */
  isLoadedAnywhere(model: string): boolean {
    return this.all.some((server) => server.isLoaded(model));
  }

  /** Returns whether every server would have to replace another loaded model. */
  wouldSwap(model: string): boolean {
    return this.all.every((server) => server.wouldSwap(model));
  }

  /** The configured servers; servers that only a task names do not count. */
  get #configured(): ScheduledServer[] {
    return this.#options.servers?.map((settings) => this.getOrAdd(settings)) ?? this.all;
  }

  /** Number of calls that wait until a server is up. */
  get onHoldCount(): number {
    return this.all.reduce((sum, { condition }) => sum + condition.waitingCount, 0);
  }

  /** The reason why no task can run; undefined while a configured server is up. */
  get downReason(): string | undefined {
    const reasons = this.#configured.map(({ condition }) => condition.downReason);
    return reasons.includes(undefined) ? undefined : reasons.join('; ') || undefined;
  }

  /** Names the servers that are down while others are up; undefined if all are up, or none. */
  get downNotice(): string | undefined {
    const down = this.all.flatMap(({ condition }) => condition.downReason ?? []);
    if (down.length === 0 || this.downReason !== undefined) return undefined;
    return `${down.length} of ${this.all.length} model servers are down: ${down.join('; ')}`;
  }

  /** Usable models of the servers that are up (of all, if none is); undefined until one has reported. */
  get models(): readonly string[] | undefined {
    const configured = this.#configured;
    const up = configured.filter(({ condition }) => condition.downReason === undefined);
    const lists = (up.length > 0 ? up : configured).flatMap(({ condition: { models } }) =>
      models ? [models] : [],
    );
    const names = new Set(lists.flat().filter(({ length }) => length <= MAX_NAME_CHARS));
    return lists.length === 0 ? undefined : [...names].slice(0, MAX_MODELS);
  }

  /** Models installed on the configured servers; undefined until all have reported. */
  get installed(): readonly InstalledModel[] | undefined {
    const lists = this.#configured.map(({ condition }) => condition.installedModels);
    return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
  }

  /** Calls `listener` when a server or a model on it becomes unusable or usable; it must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Checks all servers and lists their models. Never rejects. */
  async checkAll(): Promise<void> {
    await Promise.all(this.all.map(({ condition }) => condition.check()));
  }

  /** Stops probing the servers that are down. */
  stop(): void {
    for (const { condition } of this.all) condition.stop();
  }
}
