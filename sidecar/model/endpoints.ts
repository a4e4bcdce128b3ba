/**
 * The model servers that tasks are shared among (`ollama.endpoints`), and which of their slots are taken. A slot is a call:
 * a server is asked no more things at once than the operator says.
 */
import { normalizeUrl } from '../addresses/ollama-url.ts';
import { isSameModel } from './choose-model.ts';

export interface Endpoint {
  /** Normalized base URL. */
  readonly url: string;
  /** Calls at once. */
  readonly concurrency: number;
  /** The models that it is asked for; undefined: all that it has. */
  readonly models?: readonly string[];
}

/** The configured servers in the operator's order: those of `ollama.endpoints`, else the one of `ollama.url`, without a limit of its own. */
export function endpointsOf({
  url,
  endpoints = [],
}: {
  url: string;
  endpoints?: readonly { url: string; concurrency: number; models?: readonly string[] }[];
}): Endpoint[] {
  if (endpoints.length === 0) return [{ url: normalizeUrl(url), concurrency: Infinity }];
  return endpoints.map((endpoint) => ({ ...endpoint, url: normalizeUrl(endpoint.url) }));
}

/** Whether the operator lets the server be asked for the model. */
export const isAskedFor = ({ models }: Endpoint, model: string): boolean =>
  models === undefined || models.some((name) => isSameModel(name, model));

/** Shared by all tasks of a worker. */
export class EndpointSlots {
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  hasRoom({ url, concurrency }: Endpoint): boolean {
    return this.#usedAt(url) < concurrency;
  }

  /** How full a server is, 0 to 1. */
  share({ url, concurrency }: Endpoint): number {
    return this.#usedAt(url) / concurrency;
  }

  /** Takes a slot; the returned function gives it back and is called once. */
  take(url: string): () => void {
    this.#used.set(url, this.#usedAt(url) + 1);
    return () => {
      this.#used.set(url, this.#usedAt(url) - 1);
      this.wake();
    };
  }

  /** Lets those who wait for a slot look again. */
  wake(): void {
    for (const end of this.#waiting) end();
  }

  /** Resolves when it is worth looking for a slot again, or when `signal` aborts. */
  async changed(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  #usedAt(url: string): number {
    return this.#used.get(url) ?? 0;
  }
}
