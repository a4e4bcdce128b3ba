/** An MCP server before it is asked anything. */
import type { ToolEffects } from '../effects.ts';

/** As the configuration has it. A server is a program (`command`) or an address (`url`). */
export interface McpServer {
  name: string;
  command?: string | undefined;
  args: readonly string[];
  /** Variables of the program besides those of every command. */
  env: Readonly<Record<string, string>>;
  /** Whether the program has the network. */
  network: boolean;
  url?: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** The only tools that are offered, by the server's own names. */
  only?: readonly string[] | undefined;
  timeoutMs: number;
  /** Which state of a repository it stands in; what another state's server lists may differ. */
  origin?: string | undefined;
  effects: ToolEffects;
}

/** A tool as its server lists it: nothing of it is to be trusted. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  /** Why the tool cannot be offered. */
  defect?: string;
}

/** A server that did not do what it was asked; the message says what happened, for the model as well as for people. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
}
