/** An MCP server and its tools before any call. */
import type { ToolEffects } from '../types.ts';

/** The configuration of a server: a program (`command`) or an address (`url`). */
export interface McpServer {
  name: string;
  command?: string | undefined;
  args: readonly string[];
  /** Variables of the program besides those of every command. */
  env: Readonly<Record<string, string>>;
  /** Whether the program has network access. */
  network: boolean;
  url?: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** The only tools to offer, by the server's own names. */
  only?: readonly string[] | undefined;
  timeoutMs: number;
  effects: ToolEffects;
}

/** A tool as its server lists it: untrusted. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  /** The reason why the tool cannot be offered. */
  defect?: string;
}

/** A server failed to do what was requested; the message explains it to the model and to users. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
}
