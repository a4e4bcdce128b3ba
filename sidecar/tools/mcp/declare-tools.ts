/**
 * Converts the tools that servers list to registered tools: named, shortened, and limited by a byte budget. The order
 * follows the servers' names in the configuration and the tools' names, so that it is the same in every task. Pure.
 */
import { effectsOf } from '../effects.ts';
import { named } from '../../values/shortening.ts';
import { fold } from '../aliases.ts';
import { zodOf } from '../json-parameters.ts';
import type { RegisteredTool, ToolContext, ToolOutput } from '../types.ts';
import { nameFor } from './tool-names.ts';
import { bytesOf, cutTool } from './tool-schema.ts';
import type { ListedTool, McpServer } from './types.ts';

/** Limit of one tool's definition. */
const MAX_TOOL_BYTES = 900;
/** Limit of the tools named in a note. */
const MAX_NAMED = 20;

export interface ServerListing {
  server: McpServer;
  tools: readonly ListedTool[];
}

export type CallServer = (
  server: McpServer,
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
) => Promise<ToolOutput>;

export interface DeclaredTools {
  tools: RegisteredTool[];
  /** Names of all listed tools, wanted or not. */
  names: string[];
  /** Notes for users: omitted tools, and why. */
  notes: string[];
}

export interface DeclareOptions {
  /** Names of the other tools. */
  taken: readonly string[];
  /** Budget for descriptions and schemas of all wanted tools. */
  maxBytes: number;
  /** Whether the model gets a tool, by its name here; default: all. */
  wants?: (name: string) => boolean;
  call: CallServer;
}

export function declareTools(
  listings: readonly ServerListing[],
  { taken, maxBytes, wants = () => true, call }: DeclareOptions,
): DeclaredTools {
  const names = new Set(taken.map(fold));
  const declared: DeclaredTools = { tools: [], names: [], notes: [] };
  let leftBytes = maxBytes;
  for (const { server, tools } of listings) {
    const listed = offeredOf(server, tools);
    const offered = listed.filter(({ defect }) => defect === undefined);
    const tooLarge: string[] = [];
    for (const tool of offered) {
      const name = nameFor(server.name, tool.name, names);
      declared.names.push(name);
      if (!wants(name)) continue;
      const cut = cutTool(tool, Math.min(leftBytes, MAX_TOOL_BYTES));
      if (!cut) {
        tooLarge.push(tool.name.slice(0, 64));
        continue;
      }
      leftBytes -= bytesOf(cut);
      declared.tools.push({
        name,
        ...cut,
        schema: zodOf(cut.parameters),
        ...effectsOf(server.effects),
        execute: (args: Record<string, unknown>, context) => call(server, tool.name, args, context),
      });
    }
    declared.notes.push(...notesOn(server, tools, tooLarge), ...defectsOf(server, listed));
  }
  return declared;
}

function offeredOf({ only }: McpServer, tools: readonly ListedTool[]): ListedTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const wanted = only ?? [...byName.keys()].toSorted();
  return [...new Set(wanted)].flatMap((name) => byName.get(name) ?? []);
}

/** Returns notes on tools without a usable declaration; the server's other tools are offered. */
function defectsOf({ name }: McpServer, listed: readonly ListedTool[]): string[] {
  const defects = listed.flatMap(({ name: tool, defect }) =>
    defect === undefined ? [] : [`${tool.slice(0, 64)} (${defect})`],
  );
  if (defects.length === 0) return [];
  return [`The MCP server ${name} lists unusable tools: ${named(defects, MAX_NAMED)}`];
}

function notesOn(
  { name, only = [] }: McpServer,
  tools: readonly ListedTool[],
  tooLarge: readonly string[],
): string[] {
  const missing = only.filter((wanted) => !tools.some((tool) => tool.name === wanted));
  const notes: string[] = [];
  if (missing.length > 0) {
    const known = tools.map((tool) => tool.name.slice(0, 64)).toSorted();
    notes.push(
      `The MCP server ${name} has no tool ${missing.join(', ')} (tools.mcp.${name}.only); it has ${known.slice(0, 40).join(', ') || 'none'}`,
    );
  }
  if (tooLarge.length > 0)
    notes.push(
      `These tools of the MCP server ${name} do not fit into the prompt: ${tooLarge.slice(0, 40).join(', ')}. Name the tools that you need in tools.mcp.${name}.only, or raise tools.mcpSchemaBytes`,
    );
  return notes;
}
