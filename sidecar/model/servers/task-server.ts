/**
 * Combines all model servers for one task. A call goes to the task's last server, whose cache has the conversation; if
 * that is down or full, to one with the model loaded and a free slot, then to one with a free slot. The scheduler
 * decides when. Each failure names its server (`serverUrl`).
 */
import type { Clock } from '../../base/ports.ts';
import type {
  ChatCall,
  ChatOutcome,
  ChatRequest,
  InstalledModel,
  ModelFailure,
  ModelServer,
} from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import { SentPrompts } from '../sent-prompts.ts';
import type { FailedCall } from './server-condition.ts';
import type { Grant, Scheduler } from './scheduler.ts';
import {
  serversWith,
  hasModel,
  loadedOf,
  addServerUrl,
  serversUp,
  type ServerChoice,
} from './server-choice.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Failure } from '../../base/values/outcome.ts';

/** Timeout of the list of loaded models; a slower server counts as unchanged. */
const LOADED_TIMEOUT_MS = 2_000;

export interface TaskServerOptions {
  taskId: string;
  /** The servers in configured order; at least one. */
  servers: readonly ServerSettings[];
  scheduler: Scheduler;
  createServer: (url: string) => ModelServer;
  clock: Clock;
  /** The server to begin with, such as the hub's preference. */
  preferred?: string | undefined;
  /** Whether the task names its model. */
  isNamed?: boolean;
  /** Called when the task moves to another server. Must not throw. */
  onMove?: (url: string) => void;
  /** Called when all calls of the task wait for a slot, or no longer do. Must not throw. */
  onStalled?: (isStalled: boolean) => void;
}

export class TaskServer implements ModelServer {
  readonly #options: TaskServerOptions;
  readonly #choices: ServerChoice[];
  readonly #calls = { waiting: 0, running: 0 };
  /** Server of the last call; undefined before the first one. */
  #current: ServerChoice | undefined;
  /** The model of the last request. */
  #model: string | undefined;
  #call: FailedCall | undefined;

  constructor(options: TaskServerOptions) {
    this.#options = options;
    this.#choices = options.servers.map((settings) => ({
      known: options.scheduler.servers.of(settings),
      client: options.createServer(settings.url),
      sent: new SentPrompts(),
    }));
    this.#current = this.#choiceOf(options.preferred);
  }

  /** Limit of concurrent calls of the current server. */
  get slots(): number {
    return this.#currentChoice().known.settings.slots;
  }

  /** Why no server can answer the last request; undefined while one can. */
  get downReason(): string | undefined {
    const able = serversWith(this.#choices, this.#model);
    const reasons = able.map(({ known }) => known.condition.downReasonOf(this.#model));
    return reasons.includes(undefined) ? undefined : reasons.join('; ');
  }

  /** Whether another healthy server has the model. */
  get hasOther(): boolean {
    const able = serversWith(this.#choices, this.#model).filter((one) => one !== this.#currentChoice());
    return able.some(({ known }) => known.condition.downReasonOf(this.#model) === undefined);
  }

  /** Reports whether the failure is its server's and not the call's; that server is then down. */
  async blame(failure: Failure): Promise<boolean> {
    const failed = this.#choiceOf((failure as ModelFailure).serverUrl) ?? this.#currentChoice();
    return await failed.known.condition.blame(failure, this.#call);
  }

  /** Records that the last call was answered. */
  answered(): void {
    this.#currentChoice().known.condition.answered(this.#model);
  }

  /** Resolves when a server with the model may be called, or when `signal` aborts. */
  async whenUp(signal: AbortSignal): Promise<void> {
    const one = new AbortController();
    const either = AbortSignal.any([signal, one.signal]);
    const able = serversWith(this.#choices, this.#model);
    await Promise.race(able.map(({ known }) => known.condition.whenUp(this.#model, either)));
    one.abort();
  }

  chat: ModelServer['chat'] = async (request, call) => {
    const { model, options, keepAlive } = request;
    this.#model = model;
    this.#call = { model, options, keepAlive, isNamed: this.#options.isNamed === true };
    const loaded = this.#candidates(request.model).find(({ known }) => known.isLoaded(request.model));
    if (request.messages.length === 0 && loaded) {
      // The model is loaded already, but a question will follow.
      this.#options.scheduler.expect(this.#options.taskId, loaded.known, request.model);
      return addServerUrl(await loaded.client.chat(request, call), loaded);
    }
    for (;;) {
      const entry = await this.#enter(request, call);
      if (entry === undefined) return cancelled;
      if (entry === 'down') return serverGone;
      const outcome = await this.#ask(entry, request, call);
      if (outcome) return outcome;
    }
  };

  async #enter({ model, messages }: ChatRequest, call: ChatCall): Promise<Grant | 'down' | undefined> {
    const { scheduler, taskId } = this.#options;
    await this.#refreshLoaded(model, call.signal);
    let hasWaited = false;
    this.#count('waiting', 1);
    const entry = await scheduler.enter({
      taskId,
      model,
      isLoad: messages.length === 0,
      servers: () => this.#candidates(model).map(({ known }) => known),
      current: this.#current?.known,
      signal: call.signal,
      onWait: () => {
        hasWaited = true;
        call.onSlot?.('waiting');
      },
    });
    this.#count('waiting', -1);
    if (hasWaited && typeof entry === 'object') call.onSlot?.('given');
    return entry;
  }

  /** Returns undefined if the model is gone from this server and another one may have it. */
  async #ask(grant: Grant, request: ChatRequest, call: ChatCall): Promise<ChatOutcome | undefined> {
    const one = this.#choiceOf(grant.server.url) ?? this.#currentChoice();
    this.#moveTo(one);
    this.#count('running', 1);
    const freshShare = one.sent.add(request);
    const ended = addServerUrl(await one.client.chat(request, call), one);
    this.#count('running', -1);
    const outcome = grant.end(ended, freshShare);
    if (outcome.ok || outcome.failure.code !== 'model_not_found') return outcome;
    one.installed = (one.installed ?? []).filter(({ name }) => !isSameModel(name, request.model));
    return this.#choices.some((other) => hasModel(other, request.model) === true) ? undefined : outcome;
  }

  show: ModelServer['show'] = async (model, signal) => {
    this.#model = model;
    const one = this.#candidates(model)[0] ?? this.#currentChoice();
    return addServerUrl(await one.client.show(model, signal), one);
  };

  /** Lists the models of all servers together; fails only if none answers. */
  list: ModelServer['list'] = async (signal) => {
    this.#model = undefined;
    const found: InstalledModel[] = [];
    const asked = serversUp(this.#choices);
    const lists = await Promise.all(
      asked.map(async (one) => {
        const list = addServerUrl(await one.client.list(signal), one);
        if (list.ok) one.installed = list.value.filter(({ name }) => one.known.isFor(name));
        return list;
      }),
    );
    const failed = lists.find((list) => !list.ok);
    if (failed && !lists.some(({ ok }) => ok)) return failed;
    for (const { installed = [] } of asked.filter((_, index) => lists[index]?.ok))
      found.push(...installed.filter(({ name }) => !found.some((known) => known.name === name)));
    return { ok: true, value: found };
  };

  loaded: ModelServer['loaded'] = (signal) => loadedOf(this.#currentChoice(), this.#options.clock, signal);
  version: ModelServer['version'] = (signal) => this.#currentChoice().client.version(signal);

  pull: ModelServer['pull'] = async (model, call) => {
    const allowed = serversUp(this.#choices.filter(({ known }) => known.isFor(model)));
    const one = allowed.find((other) => other === this.#current) ?? allowed[0] ?? this.#currentChoice();
    const pulled = addServerUrl(await one.client.pull(model, call), one);
    if (pulled.ok) one.installed = [...(one.installed ?? []), { name: model, sizeBytes: 0 }];
    return pulled;
  };

  abort(): void {
    for (const { client } of this.#choices) client.abort();
  }

  /** Returns the servers for the model, best first: up, known to have it, the current one. Never empty. */
  #candidates(model: string): ServerChoice[] {
    const up = serversUp(serversWith(this.#choices, model), model);
    const sure = up.filter((one) => hasModel(one, model) === true);
    const chosen = sure.length > 0 ? sure : up;
    return chosen.toSorted((a, b) => Number(b === this.#current) - Number(a === this.#current));
  }

  /** Asks servers for their loaded models if these affect the order of servers. */
  async #refreshLoaded(model: string, signal?: AbortSignal): Promise<void> {
    const candidates = this.#candidates(model);
    const isChoice = candidates.length > 1 && candidates[0] !== this.#current;
    const nowMs = this.#options.clock.monotonicMs();
    const asked = candidates.filter(({ known }) => known.needsLoadedModels(model, isChoice, nowMs));
    if (asked.length === 0) return;
    const limit = AbortSignal.timeout(LOADED_TIMEOUT_MS);
    const both = signal ? AbortSignal.any([signal, limit]) : limit;
    await Promise.all(asked.map((one) => loadedOf(one, this.#options.clock, both)));
  }

  #count(what: 'waiting' | 'running', change: 1 | -1): void {
    const wasStalled = this.#isStalled;
    this.#calls[what] += change;
    if (this.#isStalled !== wasStalled) this.#options.onStalled?.(this.#isStalled);
  }

  get #isStalled(): boolean {
    return this.#calls.waiting > 0 && this.#calls.running === 0;
  }

  #choiceOf(url: string | undefined): ServerChoice | undefined {
    return this.#choices.find(({ known }) => known.url === url);
  }

  #currentChoice(): ServerChoice {
    const one = this.#current ?? serversUp(this.#choices)[0];
    if (!one) throw new Error('a task has no model server');
    return one;
  }

  #moveTo(one: ServerChoice): void {
    const before = this.#current;
    this.#current = one;
    if (before && before !== one) this.#options.onMove?.(one.known.url);
  }
}

const cancelled: ChatOutcome = {
  ok: false,
  failure: { code: 'aborted', message: 'the call of the model was cancelled', retryable: false },
};

/** Nothing was sent: the call is repeated when a server is back. */
const serverGone: ChatOutcome = {
  ok: false,
  failure: {
    code: 'model_away',
    message: 'the model server went away while the call waited for a slot',
    retryable: false,
  },
};
