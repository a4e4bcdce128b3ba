/**
 * The tools that servers listed, kept for the life of the worker: the next task needs to start a server only when one of its
 * tools is called, and its prompt begins with the same bytes. A server that failed is not tried again for a while.
 */
import type { Clock } from '../../ports.ts';
import type { ListedTool, McpServer } from './types.ts';

/** A server that hangs would cost every task its time limit. */
const FAILURE_MS = 5 * 60_000;
/** Repositories bring servers of their own. */
const MAX_LISTS = 100;

type Entry = { tools: readonly ListedTool[] } | { failure: string; untilMs: number };

export class ToolLists {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The known tools of a server, or why there are none; undefined where it has to be asked. */
  get(server: McpServer): { tools: readonly ListedTool[] } | { failure: string } | undefined {
    const entry = this.#entries.get(keyOf(server));
    return entry && 'untilMs' in entry && entry.untilMs <= this.#clock.monotonicMs() ? undefined : entry;
  }

  learn(server: McpServer, tools: readonly ListedTool[]): void {
    this.#keep(server, { tools });
  }

  failed(server: McpServer, failure: string): void {
    this.#keep(server, { failure, untilMs: this.#clock.monotonicMs() + FAILURE_MS });
  }

  #keep(server: McpServer, entry: Entry): void {
    this.#entries.set(keyOf(server), entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > MAX_LISTS) this.#entries.delete(oldest);
  }
}

const keyOf = (server: McpServer): string => JSON.stringify(server);
