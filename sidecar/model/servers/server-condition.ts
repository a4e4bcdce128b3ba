/** Tracks whether a model server and each of its models can be used, and lists the installed models. */
import { removeCredentials } from '../../base/addresses/credentials.ts';
import type { Clock } from '../../base/ports.ts';
import type { ChatRequest, InstalledModel, ModelServer } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import { cannotLoadModel, ServerHealth, type ConditionChange, type Probe } from './server-health.ts';
import { isModelAllowed, type ServerSettings } from './server-settings.ts';
import type { Failure, Outcome } from '../../base/values/outcome.ts';
import { runWithTimeLimit } from '../../base/system/clock.ts';

/** Timeout of version and model lists; a server that takes longer is down. */
const ANSWER_TIMEOUT_MS = 5_000;
const LOAD_TIMEOUT_MS = 600_000;
/** Pauses between probes of a server that is down. */
const SERVER_PROBES = { firstProbeMs: 1_000, lastProbeMs: 30_000 };
/**
 * Pauses between attempts to load a model that could not be loaded. They are longer, because a load costs more than a
 * probe.
 */
const MODEL_PROBES = { firstProbeMs: 30_000, lastProbeMs: 600_000 };

/** A failed call, with the options that are needed to load its model again. */
export interface FailedCall extends Pick<ChatRequest, 'model' | 'options' | 'keepAlive'> {
  /**
   * Whether the task names this model. If not, a failed load marks the whole server as down, since the worker would
   * choose this model again.
   */
  isNamed: boolean;
}

export interface ServerConditionOptions {
  settings: ServerSettings;
  client: ModelServer;
  clock: Clock;
  /** Returns whether the server has no running call. */
  isIdle: () => boolean;
  /** Called when the server, or the named model, goes down or up. Must not throw. */
  onChange?: (change: ConditionChange, model?: string) => void;
}

export class ServerCondition {
  readonly #options: ServerConditionOptions;
  readonly #serverHealth: ServerHealth;
  /** Health of each model that could not be loaded, by its name. */
  readonly #modelHealths = new Map<string, ServerHealth>();
  /** The installed models that are allowed on this server, by the last list; undefined before the first list. */
  installedModels: readonly InstalledModel[] | undefined;

  constructor(options: ServerConditionOptions) {
    const { client, clock, onChange } = options;
    this.#options = options;
    this.#serverHealth = new ServerHealth({
      ...SERVER_PROBES,
      clock,
      probe: (signal) => requestInTime(options, signal, (limited) => client.version(limited)),
      onChange: (change) => onChange?.(change),
    });
  }

  /** The reason why the server is down for all models; undefined while it is up. */
  get downReason(): string | undefined {
    return this.#serverHealth.downReason;
  }

  /** Returns why the server cannot answer calls of the model; undefined while it can. */
  downReasonOf(model: string | undefined): string | undefined {
    return this.downReason ?? this.#healthOf(model)?.downReason;
  }

  /** The installed models that can be used; undefined until the server has reported. */
  get models(): readonly string[] | undefined {
    const names = this.installedModels?.map(({ name }) => name);
    return names?.filter((name) => this.#healthOf(name)?.downReason === undefined);
  }

  /** Number of calls that wait for the server or one of its models. */
  get waitingCount(): number {
    return this.#allHealths.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** Requests the server's version and models. Never rejects. */
  async check(): Promise<void> {
    const { client, settings } = this.#options;
    const { signal } = new AbortController();
    const listRequest = requestInTime(this.#options, signal, (limited) => client.list(limited));
    // Calls detect a failure by themselves; a busy server may answer other requests slowly.
    const healthCheck = this.#options.isIdle() ? this.#serverHealth.check() : undefined;
    const [list] = await Promise.all([listRequest, healthCheck]);
    if (list.ok) this.installedModels = list.value.filter(({ name }) => isModelAllowed(settings, name));
  }

  /**
   * Returns whether the server, and not the call, caused the failure. If so, marks the server as down, or only the model
   * if a task named a model that cannot be loaded.
   */
  async attributeFailure(failure: Failure, call: FailedCall | undefined): Promise<boolean> {
    const { client } = this.#options;
    const loadAgain: Probe = async (signal) => {
      if (!call) return await requestInTime(this.#options, signal, (limited) => client.version(limited));
      const { model, options, keepAlive } = call;
      const request = { model, messages: [], stream: false, options, keepAlive };
      return await client.chat(request, { signal, timeoutMs: LOAD_TIMEOUT_MS });
    };
    if (!call?.isNamed || !cannotLoadModel(failure))
      return await this.#serverHealth.attributeFailure(failure, loadAgain);
    // A server that hangs is down for all models.
    await this.#serverHealth.check();
    this.#getOrAddHealth(call.model, loadAgain).markDown(failure.message);
    return true;
  }

  /** Records that a call of the model was answered. */
  recordAnswer(model: string | undefined): void {
    this.#serverHealth.recordAnswer();
    this.#healthOf(model)?.recordAnswer();
  }

  /** Resolves when a call of the model may be made, or when `signal` aborts. */
  async waitUntilUp(model: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#serverHealth.waitUntilUp(signal);
    await this.#healthOf(model)?.waitUntilUp(signal);
  }

  /** Stops probing permanently. */
  stop(): void {
    for (const health of this.#allHealths) health.stop();
  }

  get #allHealths(): ServerHealth[] {
    return [this.#serverHealth, ...this.#modelHealths.values()];
  }

  #healthOf(model: string | undefined): ServerHealth | undefined {
    if (model === undefined) return undefined;
    return [...this.#modelHealths].find(([name]) => isSameModel(name, model))?.[1];
  }

  /** Returns the model's health. `load`: its probe, which is skipped if that would unload a model in use. */
  #getOrAddHealth(model: string, load: Probe): ServerHealth {
    const existing = this.#healthOf(model);
    if (existing) return existing;
    const { clock, isIdle, onChange } = this.#options;
    const health: ServerHealth = new ServerHealth({
      ...MODEL_PROBES,
      clock,
      probe: async (signal) => {
        if (isIdle()) return await load(signal);
        return { ok: false, failure: { code: 'model_busy', message: health.downReason ?? '' } };
      },
      onChange: (change) => onChange?.(change, model),
    });
    this.#modelHealths.set(model, health);
    return health;
  }
}

/** Makes a request that a healthy server answers at once; fails after a timeout. */
async function requestInTime<T>(
  { clock, settings }: Pick<ServerConditionOptions, 'clock' | 'settings'>,
  signal: AbortSignal,
  sendRequest: (signal: AbortSignal) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const url = removeCredentials(settings.url);
  const send = async (limited: AbortSignal): Promise<Outcome<T>> => {
    const outcome = await sendRequest(limited);
    if (outcome.ok || !limited.aborted || signal.aborted) return outcome;
    const message = `no answer from ${url} within ${ANSWER_TIMEOUT_MS / 1000} s`;
    return { ok: false, failure: { code: 'model_timeout', message } };
  };
  return await runWithTimeLimit(send, ANSWER_TIMEOUT_MS, signal, clock);
}
