/**
 * Manages the MCP servers of one task. A program runs in the environment from which its tool is called, so a copy of the workspace has its
 * own process. A server starts when it is first needed, at most once, and stops on `close`.
 */
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { errorMessage } from '../../base/values/errors.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import type { McpConnection } from './connection.ts';
import type { ServerListing } from './declare-tools.ts';
import type { ToolLists } from './tool-lists.ts';
import { McpFailure, type ListedTool, type McpServer } from './types.ts';

export class McpServers {
  readonly #lists: ToolLists;
  readonly #connections = new Map<ExecutionEnvironment, Map<string, Promise<McpConnection>>>();
  #isClosed = false;

  constructor(lists: ToolLists) {
    this.#lists = lists;
  }

  /** Returns the tools of each server, and the failures. Servers without a cached list are asked concurrently. Never rejects. */
  async list(
    servers: readonly McpServer[],
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<{ listings: ServerListing[]; failures: string[] }> {
    const failures: string[] = [];
    const listings = await Promise.all(
      servers.map(async (server) => {
        try {
          return [{ server, tools: await this.#listTools(server, env, signal) }];
        } catch (error) {
          failures.push(errorMessage(error));
          return [];
        }
      }),
    );
    return { listings: listings.flat(), failures };
  }

  /** Calls a tool of a server. Rejects with `McpFailure`, which the dispatcher converts to a result. */
  async call(
    server: McpServer,
    tool: string,
    args: Record<string, unknown>,
    { env, signal }: ToolContext,
  ): Promise<ToolOutput> {
    return (await this.#getOrOpen(server, env, signal)).call(tool, args, signal);
  }

  /** Stops all servers. Resolves when all their programs have ended. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connections = [...this.#connections.values()].flatMap((byName) => [...byName.values()]);
    this.#connections.clear();
    await Promise.all(
      connections.map((connection) =>
        connection.then((mcpConnection) => mcpConnection.close()).catch(() => undefined),
      ),
    );
  }

  async #listTools(
    server: McpServer,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<readonly ListedTool[]> {
    const cachedList = this.#lists.get(server);
    if (cachedList && 'tools' in cachedList) return cachedList.tools;
    if (cachedList) throw new McpFailure(cachedList.failure);
    try {
      const connection = await this.#getOrOpen(server, env, signal);
      const tools = await connection.listTools(signal);
      this.#lists.recordTools(server, tools);
      return tools;
    } catch (error) {
      if (!signal.aborted) this.#lists.recordFailure(server, errorMessage(error));
      throw error;
    }
  }

  #getOrOpen(server: McpServer, env: ExecutionEnvironment, signal: AbortSignal): Promise<McpConnection> {
    const byName = this.#connections.get(env) ?? new Map<string, Promise<McpConnection>>();
    this.#connections.set(env, byName);
    const connection = byName.get(server.name) ?? this.#open(server, env, signal);
    byName.set(server.name, connection);
    return connection;
  }

  async #open(server: McpServer, env: ExecutionEnvironment, signal: AbortSignal): Promise<McpConnection> {
    const { McpConnection } = await import('./connection.ts');
    const connection = await McpConnection.open(server, env, signal);
    if (this.#isClosed) await connection.close();
    return connection;
  }
}
