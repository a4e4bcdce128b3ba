/**
 * Several model servers as one, for one task. A call goes to the server that the task used last, whose cache knows the
 * conversation; where that one is away or full, to one that has the model loaded and a free slot, then to one that has a free
 * slot. With no slot free it waits. Each failure names its server (`serverUrl`).
 */
import type { ModelServer, Outcome } from '../ports.ts';
import type { ChatOutcome, InstalledModel, ModelFailure } from './chat.ts';
import { isSameModel } from './choose-model.ts';
import { isAskedFor, type Endpoint, type EndpointSlots } from './endpoints.ts';

/** A server that takes longer to tell what it has loaded counts as one that has nothing loaded. */
const LOADED_TIMEOUT_MS = 2_000;

export interface SharedServerOptions {
  /** In the operator's order; at least one. */
  endpoints: readonly Endpoint[];
  slots: EndpointSlots;
  createServer: (url: string) => ModelServer;
  /** Known not to answer. */
  isAway: (url: string) => boolean;
  /** Where to begin, such as the server that the hub wishes. */
  preferred?: string;
  /** The task goes to another server than before. Must not throw. */
  onMove?: (url: string) => void;
}

interface Member extends Endpoint {
  server: ModelServer;
  /** As listed last; undefined while it did not tell. */
  installed?: InstalledModel[];
}

export class SharedServer implements ModelServer {
  readonly #options: SharedServerOptions;
  readonly #members: Member[];
  /** Of the last call; undefined before the first one. */
  #current: Member | undefined;
  /** Of the last question about a model. */
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

  chat: ModelServer['chat'] = async (request, call) => {
    this.#model = request.model;
    for (;;) {
      const member = await this.#withSlot(request.model, call.signal);
      if (!member) return cancelled;
      const giveBack = this.#options.slots.take(member.url);
      this.#moveTo(member);
      const outcome: ChatOutcome = named(await member.server.chat(request, call), member);
      giveBack();
      if (outcome.ok || outcome.failure.code !== 'model_not_found') return outcome;
      // It was deleted there; another server may have it.
      member.installed = (member.installed ?? []).filter(({ name }) => !isSameModel(name, request.model));
      if (!this.#members.some((other) => has(other, request.model) === true)) return outcome;
    }
  };

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

  loaded: ModelServer['loaded'] = (signal) => this.#one().server.loaded(signal);
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

  /** A server with room for one more call of the model; undefined when the call was cancelled while it waited. */
  async #withSlot(model: string, signal?: AbortSignal): Promise<Member | undefined> {
    const { slots } = this.#options;
    const room = () => this.#candidates(model).filter((member) => slots.hasRoom(member));
    for (;;) {
      if (signal?.aborted) return undefined;
      const free = room();
      const same = free.find((member) => member === this.#current);
      if (same) return same;
      if (free.length > 0) {
        const loaded = free.length === 1 ? free : await this.#loadedFirst(free, model, signal);
        const best = loaded.find((member) => room().includes(member));
        if (best) return best;
      } else await slots.changed(signal);
    }
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

  async #loadedFirst(members: Member[], model: string, signal?: AbortSignal): Promise<Member[]> {
    const limit = AbortSignal.timeout(LOADED_TIMEOUT_MS);
    const both = signal ? AbortSignal.any([signal, limit]) : limit;
    const rated = await Promise.all(
      members.map(async (member) => {
        const loaded = await member.server.loaded(both);
        const isLoaded = loaded.ok && loaded.value.some(({ name }) => isSameModel(name, model));
        return { member, isLoaded };
      }),
    );
    const { slots } = this.#options;
    return rated
      .toSorted(
        (a, b) => Number(b.isLoaded) - Number(a.isLoaded) || slots.share(a.member) - slots.share(b.member),
      )
      .map(({ member }) => member);
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

/** Undefined where the server did not tell. */
const has = ({ installed }: Member, model: string): boolean | undefined =>
  installed?.some(({ name }) => isSameModel(name, model));

function named<T>(outcome: Outcome<T, ModelFailure>, { url }: Endpoint): Outcome<T, ModelFailure> {
  return outcome.ok ? outcome : { ok: false, failure: { ...outcome.failure, serverUrl: url } };
}
