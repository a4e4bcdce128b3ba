/** Defines an MCP server and the tools that it lists. */
import type { ToolEffects } from '../types.ts';

/** Configuration of a server: a program (`command`) or an address (`url`). */
export interface McpServer {
  name: string;
  command?: string | undefined;
  args: readonly string[];
  /** Additional environment variables of the program. */
  env: Readonly<Record<string, string>>;
  /** Whether the program has network access. */
  network: boolean;
  url?: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** Names, as the server lists them, of the tools to offer. Default: all tools. */
  only?: readonly string[] | undefined;
  timeoutMs: number;
  effects: ToolEffects;
}

/** A tool as its server lists it. The content is not trusted. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  /** The reason why the tool cannot be offered. */
  defect?: string;
}

/** Failure of a request to a server. The message explains it to the model and to users. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
}
