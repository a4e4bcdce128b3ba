/**
 * The MCP servers of one task. A program runs in the environment whose tool calls it, so a copy of the workspace has
 * its own. A server starts when it is first needed, restarts a few times if it ended, and stops on `close`.
 */
import type { ExecutionEnvironment } from '../../ports.ts';
import { errorMessage } from '../../values/errors.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import type { Connection } from './connection.ts';
import type { ServerListing } from './declare-tools.ts';
import type { ToolLists } from './tool-lists.ts';
import { McpFailure, type ListedTool, type McpServer } from './types.ts';

/** Limit of starts of one server in one task, for servers that crash at every call. */
const MAX_STARTS = 5;

interface ServerConnection {
  connection: Promise<Connection>;
  /** Set once the connection is open. */
  opened?: Connection;
}

export class McpServers {
  readonly #lists: ToolLists;
  readonly #lines = new Map<ExecutionEnvironment, Map<string, ServerConnection>>();
  readonly #starts = new Map<string, number>();
  #isClosed = false;

  constructor(lists: ToolLists) {
    this.#lists = lists;
  }

  /** Returns the tools of each server, listed concurrently unless cached, and the failures. Never rejects. */
  async list(
    servers: readonly McpServer[],
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<{ listings: ServerListing[]; failures: string[] }> {
    const failures: string[] = [];
    const listings = await Promise.all(
      servers.map(async (server) => {
        try {
          return [{ server, tools: await this.#toolsOf(server, env, signal) }];
        } catch (error) {
          failures.push(errorMessage(error));
          return [];
        }
      }),
    );
    return { listings: listings.flat(), failures };
  }

  /** Rejects with `McpFailure`, which the dispatcher converts to a result. */
  async call(
    server: McpServer,
    tool: string,
    args: Record<string, unknown>,
    { env, signal }: ToolContext,
  ): Promise<ToolOutput> {
    const { outputOf } = await import('./result-text.ts');
    const connection = await this.#connection(server, env, signal);
    return outputOf(await connection.call(tool, args, signal));
  }

  /** Stops all servers; resolves when none of their programs is left. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const lines = [...this.#lines.values()].flatMap((byName) => [...byName.values()]);
    this.#lines.clear();
    await Promise.all(
      lines.map(({ connection }) => connection.then((open) => open.close()).catch(() => undefined)),
    );
  }

  async #toolsOf(
    server: McpServer,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<readonly ListedTool[]> {
    const known = this.#lists.get(server);
    if (known && 'tools' in known) return known.tools;
    if (known) throw new McpFailure(known.failure);
    try {
      const connection = await this.#connection(server, env, signal);
      const tools = await connection.listTools(signal);
      this.#lists.learn(server, tools);
      return tools;
    } catch (error) {
      if (!signal.aborted) this.#lists.failed(server, errorMessage(error));
      throw error;
    }
  }

  #connection(server: McpServer, env: ExecutionEnvironment, signal: AbortSignal): Promise<Connection> {
    const lines = this.#lines.get(env) ?? new Map<string, ServerConnection>();
    this.#lines.set(env, lines);
    const line = lines.get(server.name);
    if (line && line.opened?.isOpen !== false) return line.connection;
    const starts = (this.#starts.get(server.name) ?? 0) + 1;
    if (starts > MAX_STARTS)
      throw new McpFailure(
        `The MCP server ${server.name} ended ${MAX_STARTS} times in this task and is not started again; go on without it`,
      );
    this.#starts.set(server.name, starts);
    const started: ServerConnection = { connection: this.#open(server, env, signal) };
    lines.set(server.name, started);
    started.connection.then(
      (connection) => (started.opened = connection),
      () => lines.delete(server.name),
    );
    return started.connection;
  }

  async #open(server: McpServer, env: ExecutionEnvironment, signal: AbortSignal): Promise<Connection> {
    const { Connection } = await import('./connection.ts');
    const connection = await Connection.open(server, env, signal);
    if (this.#isClosed) await connection.close();
    return connection;
  }
}
