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
import { CANCELLED_CALL } from '../call-errors.ts';
import { isSameModel } from '../choose-model.ts';
import { SentPrompts } from '../sent-prompts.ts';
import type { FailedCall } from './server-condition.ts';
import type { Grant, Scheduler } from './scheduler.ts';
import {
  findServersWith,
  hasModel,
  refreshLoadedModels,
  addServerUrl,
  chooseUpServers,
  type ServerChoice,
} from './server-choice.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Failure } from '../../base/values/outcome.ts';
import { runWithTimeLimit } from '../../base/system/clock.ts';

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
  preferredUrl?: string | undefined;
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
  #lastCall: FailedCall | undefined;

  constructor(options: TaskServerOptions) {
    this.#options = options;
    this.#choices = options.servers.map((settings) => ({
      server: options.scheduler.servers.getOrAdd(settings),
      client: options.createServer(settings.url),
      sentPrompts: new SentPrompts(),
    }));
    this.#current = this.#choiceOf(options.preferredUrl);
  }

  /** Maximum number of concurrent calls of the current server. */
  get slots(): number {
    return this.#getCurrentChoice().server.settings.slots;
  }

  /** The reason why no server can answer the last request; undefined while one can. */
  get downReason(): string | undefined {
    const capable = findServersWith(this.#choices, this.#model);
    const reasons = capable.map(({ server }) => server.condition.downReasonOf(this.#model));
    return reasons.includes(undefined) ? undefined : reasons.join('; ');
  }

  /** Whether another healthy server has the model. */
  get hasAlternative(): boolean {
    const capable = findServersWith(this.#choices, this.#model).filter(
      (choice) => choice !== this.#getCurrentChoice(),
    );
    return capable.some(({ server }) => server.condition.downReasonOf(this.#model) === undefined);
  }

  /** Returns whether the server of the failure, and not the call, caused it. If so, marks that server as down. */
  async attributeFailure(failure: Failure): Promise<boolean> {
    const failedChoice = this.#choiceOf((failure as ModelFailure).serverUrl) ?? this.#getCurrentChoice();
    return await failedChoice.server.condition.attributeFailure(failure, this.#lastCall);
  }

  /** Records that the last call was answered. */
  recordAnswer(): void {
    this.#getCurrentChoice().server.condition.recordAnswer(this.#model);
  }

  /** Resolves when a server with the model may be called, or when `signal` aborts. */
  async waitUntilUp(signal: AbortSignal): Promise<void> {
    const firstUp = new AbortController();
    const combined = AbortSignal.any([signal, firstUp.signal]);
    const capable = findServersWith(this.#choices, this.#model);
    await Promise.race(capable.map(({ server }) => server.condition.waitUntilUp(this.#model, combined)));
    firstUp.abort();
  }

  chat: ModelServer['chat'] = async (request, call) => {
    const { model, options, keepAlive } = request;
    this.#model = model;
    this.#lastCall = { model, options, keepAlive, isNamed: this.#options.isNamed === true };
    const loaded = this.#rankCandidates(request.model).find(({ server }) => server.isLoaded(request.model));
    if (request.messages.length === 0 && loaded) {
      // The model is loaded already, but a question will follow.
      this.#options.scheduler.expectCall(this.#options.taskId, loaded.server, request.model);
      return addServerUrl(await loaded.client.chat(request, call), loaded);
    }
    for (;;) {
      const grant = await this.#waitForSlot(request, call);
      if (grant === undefined) return { ok: false, failure: CANCELLED_CALL };
      if (grant === 'down') return SERVER_GONE_OUTCOME;
      const outcome = await this.#callServer(grant, request, call);
      if (outcome) return outcome;
    }
  };

  async #waitForSlot({ model, messages }: ChatRequest, call: ChatCall): Promise<Grant | 'down' | undefined> {
    const { scheduler, taskId } = this.#options;
    await this.#refreshLoaded(model, call.signal);
    let hasWaited = false;
    this.#count('waiting', 1);
    const grant = await scheduler.waitForSlot({
      taskId,
      model,
      isLoad: messages.length === 0,
      servers: () => this.#rankCandidates(model).map(({ server }) => server),
      current: this.#current?.server,
      signal: call.signal,
      onWait: () => {
        hasWaited = true;
        call.onSlot?.('waiting');
      },
    });
    this.#count('waiting', -1);
    if (hasWaited && typeof grant === 'object') call.onSlot?.('given');
    return grant;
  }

  /** Calls the server. Returns undefined if this server no longer has the model and another one may have it. */
  async #callServer(grant: Grant, request: ChatRequest, call: ChatCall): Promise<ChatOutcome | undefined> {
    const choice = this.#choiceOf(grant.server.url) ?? this.#getCurrentChoice();
    this.#moveTo(choice);
    this.#count('running', 1);
    const freshShare = choice.sentPrompts.add(request);
    const chatOutcome = addServerUrl(await choice.client.chat(request, call), choice);
    this.#count('running', -1);
    const outcome = grant.end(chatOutcome, freshShare);
    if (outcome.ok || outcome.failure.code !== 'model_not_found') return outcome;
    choice.installedModels = (choice.installedModels ?? []).filter(
      ({ name }) => !isSameModel(name, request.model),
    );
    return this.#choices.some((choice) => hasModel(choice, request.model) === true) ? undefined : outcome;
  }

  show: ModelServer['show'] = async (model, signal) => {
    this.#model = model;
    const choice = this.#rankCandidates(model)[0] ?? this.#getCurrentChoice();
    return addServerUrl(await choice.client.show(model, signal), choice);
  };

  /** Lists the models of all servers together; fails only if none answers. */
  list: ModelServer['list'] = async (signal) => {
    this.#model = undefined;
    const models: InstalledModel[] = [];
    const queried = chooseUpServers(this.#choices);
    const lists = await Promise.all(
      queried.map(async (choice) => {
        const list = addServerUrl(await choice.client.list(signal), choice);
        if (list.ok)
          choice.installedModels = list.value.filter(({ name }) => choice.server.allowsModel(name));
        return list;
      }),
    );
    const failure = lists.find((list) => !list.ok);
    if (failure && !lists.some(({ ok }) => ok)) return failure;
    for (const { installedModels = [] } of queried.filter((_, index) => lists[index]?.ok))
      models.push(...installedModels.filter(({ name }) => !models.some((other) => other.name === name)));
    return { ok: true, value: models };
  };

  listLoaded: ModelServer['listLoaded'] = (signal) =>
    refreshLoadedModels(this.#getCurrentChoice(), this.#options.clock, signal);
  version: ModelServer['version'] = (signal) => this.#getCurrentChoice().client.version(signal);

  pull: ModelServer['pull'] = async (model, call) => {
    const allowed = chooseUpServers(this.#choices.filter(({ server }) => server.allowsModel(model)));
    const choice =
      allowed.find((choice) => choice === this.#current) ?? allowed[0] ?? this.#getCurrentChoice();
    const pullOutcome = addServerUrl(await choice.client.pull(model, call), choice);
    if (pullOutcome.ok)
      choice.installedModels = [...(choice.installedModels ?? []), { name: model, sizeBytes: 0 }];
    return pullOutcome;
  };

  abort(): void {
    for (const { client } of this.#choices) client.abort();
  }

  /** Returns the servers for the model, best first: up, known to have it, the current one. Never empty. */
  #rankCandidates(model: string): ServerChoice[] {
    const up = chooseUpServers(findServersWith(this.#choices, model), model);
    const confirmed = up.filter((choice) => hasModel(choice, model) === true);
    const chosen = confirmed.length > 0 ? confirmed : up;
    return chosen.toSorted((a, b) => Number(b === this.#current) - Number(a === this.#current));
  }

  /** Asks servers for their loaded models if these affect the order of servers. */
  async #refreshLoaded(model: string, signal?: AbortSignal): Promise<void> {
    const candidates = this.#rankCandidates(model);
    const hasAlternatives = candidates.length > 1 && candidates[0] !== this.#current;
    const nowMs = this.#options.clock.monotonicMs();
    const queried = candidates.filter(({ server }) =>
      server.needsLoadedModels(model, hasAlternatives, nowMs),
    );
    if (queried.length === 0) return;
    const refresh = (limited: AbortSignal) =>
      Promise.all(queried.map((choice) => refreshLoadedModels(choice, this.#options.clock, limited)));
    await runWithTimeLimit(refresh, LOADED_TIMEOUT_MS, signal);
  }

  #count(state: 'waiting' | 'running', change: 1 | -1): void {
    const wasStalled = this.#isStalled;
    this.#calls[state] += change;
    if (this.#isStalled !== wasStalled) this.#options.onStalled?.(this.#isStalled);
  }

  get #isStalled(): boolean {
    return this.#calls.waiting > 0 && this.#calls.running === 0;
  }

  #choiceOf(url: string | undefined): ServerChoice | undefined {
    return this.#choices.find(({ server }) => server.url === url);
  }

  #getCurrentChoice(): ServerChoice {
    const choice = this.#current ?? chooseUpServers(this.#choices)[0];
    if (!choice) throw new Error('a task has no model server');
    return choice;
  }

  #moveTo(choice: ServerChoice): void {
    const before = this.#current;
    this.#current = choice;
    if (before && before !== choice) this.#options.onMove?.(choice.server.url);
  }
}

/** The outcome of a call that was not sent; it is repeated when a server is up again. */
const SERVER_GONE_OUTCOME: ChatOutcome = {
  ok: false,
  failure: {
    code: 'model_away',
    message: 'the model server failed while the call waited for a slot',
    retryable: false,
  },
};
