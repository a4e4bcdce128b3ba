/**
 * The model servers as one, for one task. A call goes to the server that the task used last, whose cache knows the
 * conversation; where that one is away or full, to one that has the model loaded and a free slot, then to one that has a free
 * slot. The gate says when. Each failure names its server (`serverUrl`).
 */
import type { ChatCall, ModelServer, Outcome } from '../ports.ts';
import type { ChatOutcome, ChatRequest, InstalledModel, ModelFailure } from './chat.ts';
import { isSameModel } from './choose-model.ts';
import { isAskedFor, type Endpoint } from './endpoints.ts';
import type { Gate, Pass } from './gate.ts';

/** A server that takes longer to tell what it has loaded counts as one that has not changed. */
const LOADED_TIMEOUT_MS = 2_000;

export interface SharedServerOptions {
  taskId: string;
  /** In the operator's order; at least one. */
  endpoints: readonly Endpoint[];
  gate: Gate;
  createServer: (url: string) => ModelServer;
  /** Known not to answer. */
  isAway: (url: string) => boolean;
  /** Where to begin, such as the server that the hub wishes. */
  preferred?: string;
  /** The task goes to another server than before. Must not throw. */
  onMove?: (url: string) => void;
  /** All calls of the task that there are wait for a slot, or no longer do. Must not throw. */
  onStalled?: (isStalled: boolean) => void;
}

interface Member extends Endpoint {
  server: ModelServer;
  /** As listed last; undefined while it did not tell. */
  installed?: InstalledModel[];
}

export class SharedServer implements ModelServer {
  readonly #options: SharedServerOptions;
  readonly #members: Member[];
  readonly #calls = { waiting: 0, running: 0 };
  /** Server of the last call; undefined before the first one. */
  #current: Member | undefined;
  /** Server of the last question about a model. */
  #model: string | undefined;

  constructor(options: SharedServerOptions) {
    this.#options = options;
    this.#members = options.endpoints.map((endpoint) => ({
      ...endpoint,
      server: options.createServer(endpoint.url),
    }));
    this.#current = this.#members.find(({ url }) => url === options.preferred);
  }

  /** The server of the last call, or the one that a question would go to. */
  get currentUrl(): string {
    return this.#one().url;
  }

  /** The servers that could answer what was asked last. Never empty. */
  get ableUrls(): string[] {
    const able = this.#model === undefined ? this.#members : this.#able(this.#model);
    return able.map(({ url }) => url);
  }

  /** How many calls the current server answers at once, where that is known. */
  get slots(): number | undefined {
    return this.#options.gate.slotsOf(this.currentUrl);
  }

  chat: ModelServer['chat'] = async (request, call) => {
    this.#model = request.model;
    const loaded = request.messages.length === 0 && this.#withLoaded(request.model);
    if (loaded) {
      // Nothing is worked on for it, but a question will follow.
      this.#options.gate.expect(this.#options.taskId, loaded.url, request.model);
      return named(await loaded.server.chat(request, call), loaded);
    }
    for (;;) {
      const entry = await this.#enter(request, call);
      if (entry === undefined) return cancelled;
      if (entry === 'away') return gone;
      const outcome = await this.#ask(entry, request, call);
      if (outcome) return outcome;
    }
  };

  async #enter({ model, messages }: ChatRequest, call: ChatCall): Promise<Pass | 'away' | undefined> {
    const { gate, taskId } = this.#options;
    await this.#askWhatIsLoaded(model, call.signal);
    let hasWaited = false;
    this.#count('waiting', 1);
    const entry = await gate.enter({
      taskId,
      model,
      isLoad: messages.length === 0,
      endpoints: () => this.#candidates(model),
      current: this.#current?.url,
      isAway: () => this.#candidates(model).every(({ url }) => this.#options.isAway(url)),
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

  /** Undefined where another server may have the model, which is gone from this one. */
  async #ask(pass: Pass, request: ChatRequest, call: ChatCall): Promise<ChatOutcome | undefined> {
    const member = this.#members.find(({ url }) => url === pass.endpoint.url) ?? this.#one();
    this.#moveTo(member);
    this.#count('running', 1);
    const ended = named(await member.server.chat(request, call), member);
    this.#count('running', -1);
    const outcome = pass.leave(ended);
    if (outcome.ok || outcome.failure.code !== 'model_not_found') return outcome;
    member.installed = (member.installed ?? []).filter(({ name }) => !isSameModel(name, request.model));
    return this.#members.some((other) => has(other, request.model) === true) ? undefined : outcome;
  }

  show: ModelServer['show'] = async (model, signal) => {
    this.#model = model;
    const member = this.#candidates(model)[0] ?? this.#one();
    return named(await member.server.show(model, signal), member);
  };

  /** What all servers together have; fails only where none tells. */
  list: ModelServer['list'] = async (signal) => {
    this.#model = undefined;
    const asked = this.#up(this.#members);
    const lists = await Promise.all(
      asked.map(async (member) => named(await member.server.list(signal), member)),
    );
    const found: InstalledModel[] = [];
    for (const [index, list] of lists.entries()) {
      const member = asked[index];
      if (!member || !list.ok) continue;
      member.installed = list.value.filter(({ name }) => isAskedFor(member, name));
      found.push(...member.installed.filter(({ name }) => !found.some((known) => known.name === name)));
    }
    const failed = lists.find((list) => !list.ok);
    return lists.some(({ ok }) => ok) || !failed ? { ok: true, value: found } : failed;
  };

  loaded: ModelServer['loaded'] = (signal) => this.#loadedOf(this.#one(), signal);
  version: ModelServer['version'] = (signal) => this.#one().server.version(signal);

  pull: ModelServer['pull'] = async (model, call) => {
    const allowed = this.#up(this.#members.filter((member) => isAskedFor(member, model)));
    const member = allowed.find((one) => one === this.#current) ?? allowed[0] ?? this.#one();
    const pulled = named(await member.server.pull(model, call), member);
    if (pulled.ok) member.installed = [...(member.installed ?? []), { name: model } as InstalledModel];
    return pulled;
  };

  abort(): void {
    for (const { server } of this.#members) server.abort();
  }

  #withLoaded(model: string): Member | undefined {
    return this.#candidates(model).find(({ url }) => this.#options.gate.isLoaded(url, model));
  }

  /** Servers that may have the model, up or away. Never empty. */
  #able(model: string): Member[] {
    const allowed = this.#members.filter((member) => isAskedFor(member, model));
    const able = allowed.filter((member) => has(member, model) !== false);
    return able.length > 0 ? able : allowed.length > 0 ? allowed : this.#members;
  }

  /** Servers that can be asked for the model, those first that are known to have it. Never empty. */
  #candidates(model: string): Member[] {
    const up = this.#up(this.#able(model));
    const sure = up.filter((member) => has(member, model) === true);
    const chosen = sure.length > 0 ? sure : up;
    return chosen.toSorted((a, b) => Number(b === this.#current) - Number(a === this.#current));
  }

  /** Without those that are away, unless all are: then the call tells how it is. */
  #up(members: Member[]): Member[] {
    const up = members.filter(({ url }) => !this.#options.isAway(url));
    return up.length > 0 ? up : members;
  }

  /** Where it decides who goes first: another model may be loaded, or another server have it loaded. */
  async #askWhatIsLoaded(model: string, signal?: AbortSignal): Promise<void> {
    const { gate } = this.#options;
    const candidates = this.#candidates(model);
    const isChoice = candidates.length > 1 && candidates[0] !== this.#current;
    const asked = candidates.filter(({ url }) => gate.wantsLoaded(url, model, isChoice));
    if (asked.length === 0) return;
    const limit = AbortSignal.timeout(LOADED_TIMEOUT_MS);
    const both = signal ? AbortSignal.any([signal, limit]) : limit;
    await Promise.all(asked.map((member) => this.#loadedOf(member, both)));
  }

  async #loadedOf(member: Member, signal?: AbortSignal): ReturnType<ModelServer['loaded']> {
    const loaded = await member.server.loaded(signal);
    if (loaded.ok)
      this.#options.gate.tellLoaded(
        member,
        loaded.value.map(({ name }) => name),
      );
    return loaded;
  }

  #count(what: 'waiting' | 'running', change: 1 | -1): void {
    const wasStalled = this.#isStalled;
    this.#calls[what] += change;
    if (this.#isStalled !== wasStalled) this.#options.onStalled?.(this.#isStalled);
  }

  get #isStalled(): boolean {
    return this.#calls.waiting > 0 && this.#calls.running === 0;
  }

  #one(): Member {
    const one = this.#current ?? this.#up(this.#members)[0];
    if (!one) throw new Error('a shared model server has no endpoints');
    return one;
  }

  #moveTo(member: Member): void {
    const before = this.#current;
    this.#current = member;
    if (before && before !== member) this.#options.onMove?.(member.url);
  }
}

const cancelled: ChatOutcome = {
  ok: false,
  failure: { code: 'aborted', message: 'the call of the model was cancelled', retryable: false },
};

/** Nothing was asked: the call is made again when a server is back. */
const gone: ChatOutcome = {
  ok: false,
  failure: {
    code: 'model_away',
    message: 'the model server went away while the call waited for a slot',
    retryable: false,
  },
};

/** Undefined where the server did not tell. */
const has = ({ installed }: Member, model: string): boolean | undefined =>
  installed?.some(({ name }) => isSameModel(name, model));

function named<T>(outcome: Outcome<T, ModelFailure>, { url }: Endpoint): Outcome<T, ModelFailure> {
  return outcome.ok ? outcome : { ok: false, failure: { ...outcome.failure, serverUrl: url } };
}
