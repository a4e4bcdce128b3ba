/**
 * From what servers list to tools of this program: named, cut, and as many as the budget has room for. The order is
 * that of the servers' names in the configuration and of the tools' names, so that it is the same in every task. Pure.
 */
import { effectsOf } from '../effects.ts';
import { named } from '../../values/shortening.ts';
import { fold } from '../aliases.ts';
import { zodOf } from '../json-parameters.ts';
import type { RegisteredTool, ToolContext, ToolOutput } from '../types.ts';
import { nameFor } from './tool-names.ts';
import { bytesOf, cutTool } from './tool-schema.ts';
import type { ListedTool, McpServer } from './types.ts';

/** No tool may take more of the budget than this. */
const MAX_TOOL_BYTES = 900;
/** Tools that a note names. */
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

export interface Declared {
  tools: RegisteredTool[];
  /** Names of all tools that the servers list, wanted or not. */
  names: string[];
  /** Notes for people: tools that are left out, and why. */
  notes: string[];
}

export interface DeclareOptions {
  /** Names of the other tools. */
  taken: readonly string[];
  /** For descriptions and schemas of all tools that are wanted. */
  maxBytes: number;
  /** Which tools the model is to get, by the names that they have here; default: all. */
  wants?: (name: string) => boolean;
  call: CallServer;
}

export function declareTools(
  listings: readonly ServerListing[],
  { taken, maxBytes, wants = () => true, call }: DeclareOptions,
): Declared {
  const names = new Set(taken.map(fold));
  const declared: Declared = { tools: [], names: [], notes: [] };
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

/** Tools without a usable declaration, by name; the server's other tools are offered. */
function defectsOf({ name }: McpServer, listed: readonly ListedTool[]): string[] {
  const defects = listed.flatMap(({ name: tool, defect }) =>
    defect === undefined ? [] : [`${tool.slice(0, 64)} (${defect})`],
  );
  if (defects.length === 0) return [];
  return [`The MCP server ${name} lists what cannot be offered as a tool: ${named(defects, MAX_NAMED)}`];
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
      `Of the MCP server ${name} there is no room for ${tooLarge.slice(0, 40).join(', ')}: name the tools that matter in tools.mcp.${name}.only, or raise tools.mcpSchemaBytes`,
    );
  return notes;
}
