/**
 * Caches the tool lists of servers until the worker ends. A task then starts a server only if it calls one of the server's tools, and the
 * prompts of all tasks begin with the same bytes. A failed server is not retried for a while.
 */
import type { Clock } from '../../base/ports.ts';
import type { ListedTool, McpServer } from './types.ts';

/** How long a failure is cached. Without the cache, every task would wait for the timeout of a hanging server. */
const FAILURE_CACHE_MS = 5 * 60_000;
type CachedList = { tools: readonly ListedTool[] } | { failure: string; untilMs: number };

export class ToolLists {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #entries = new Map<string, CachedList>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Returns the cached tools of a server, or its cached failure; undefined if neither is valid. */
  get(server: McpServer): { tools: readonly ListedTool[] } | { failure: string } | undefined {
    const entry = this.#entries.get(keyOf(server));
    return entry && 'untilMs' in entry && entry.untilMs <= this.#clock.monotonicMs() ? undefined : entry;
  }

  recordTools(server: McpServer, tools: readonly ListedTool[]): void {
    this.#entries.set(keyOf(server), { tools });
  }

  recordFailure(server: McpServer, failure: string): void {
    const untilMs = this.#clock.monotonicMs() + FAILURE_CACHE_MS;
    this.#entries.set(keyOf(server), { failure, untilMs });
  }
}

const keyOf = (server: McpServer): string => JSON.stringify(server);
