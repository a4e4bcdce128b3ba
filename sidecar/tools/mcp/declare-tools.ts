/**
 * Converts the tools that servers list to registered tools, within a byte budget. A tool whose schema does not fit is offered by name, and
 * its first call returns the schema. The order follows the servers' names in the configuration and the tools' names, so that it is the same
 * in every task. Pure.
 */
import { effectsOf } from '../types.ts';
import * as z from 'zod';
import { isRecord } from '../../base/values/json.ts';
import { clip, listNames } from '../../base/values/shortening.ts';
import { foldName } from '../aliases.ts';
import { zodSchemaOf, type ParametersSchema } from '../json-parameters.ts';
import type { RegisteredTool, ToolContext, ToolOutput } from '../types.ts';
import { createToolName } from './tool-names.ts';
import type { ListedTool, McpServer } from './types.ts';

/** Maximum size of a tool's definition. */
const MAX_TOOL_BYTES = 900;
const MAX_DESCRIPTION_CHARS = 200;
/** Maximum length of the description of a tool that is offered by name. */
const MAX_SHORT_DESCRIPTION_CHARS = 60;
/** Maximum number of tools that a note names. */
const MAX_NAMED_TOOLS = 20;

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
  /** Names of all listed tools, including those that are not offered. */
  names: string[];
  /** Notes for users about omitted tools, with the reasons. */
  notes: string[];
}

export interface DeclareOptions {
  /** Names of tools that are not from MCP servers. */
  takenNames: readonly string[];
  /** Budget for the descriptions and schemas of all offered tools together. */
  maxBytes: number;
  /** Returns whether to offer a tool, by the name that it has for the model. Default: all tools. */
  isWanted?: (name: string) => boolean;
  call: CallServer;
}

/** Declares the listed tools within the byte budget. */
export function declareTools(
  listings: readonly ServerListing[],
  { takenNames, maxBytes, isWanted = () => true, call }: DeclareOptions,
): DeclaredTools {
  const names = new Set(takenNames.map(foldName));
  const result: DeclaredTools = { tools: [], names: [], notes: [] };
  const namedTools: OfferedTool[] = [];
  let remainingBytes = maxBytes;
  for (const { server, tools } of listings) {
    const offeredTools = selectOffered(server, tools);
    const tooLarge: string[] = [];
    for (const tool of offeredTools.filter(({ defect }) => defect === undefined)) {
      const name = createToolName(server.name, tool.name, names);
      result.names.push(name);
      if (!isWanted(name)) continue;
      const bytes = bytesOf(buildShortDefinition(tool));
      if (bytes > remainingBytes) tooLarge.push(tool.name.slice(0, 64));
      else namedTools.push({ name, server, tool });
      remainingBytes -= bytes > remainingBytes ? 0 : bytes;
    }
    result.notes.push(...omissionNotesOf(server, tools, tooLarge), ...defectNotesOf(server, offeredTools));
  }
  // All names already fit into the budget. The rest of it is used for schemas, in order.
  for (const { name, server, tool } of namedTools) {
    const definition = buildDefinition(tool);
    const addedBytes =
      definition === undefined ? Infinity : bytesOf(definition) - bytesOf(buildShortDefinition(tool));
    const isWhole =
      definition !== undefined && bytesOf(definition) <= MAX_TOOL_BYTES && addedBytes <= remainingBytes;
    if (isWhole) remainingBytes -= addedBytes;
    const execute = (args: Record<string, unknown>, context: ToolContext) =>
      call(server, tool.name, args, context);
    result.tools.push({
      name,
      ...(isWhole
        ? { ...definition, schema: zodSchemaOf(definition.parameters), execute }
        : offerByName(name, tool, execute)),
      ...effectsOf(server.effects),
    });
  }
  return result;
}

interface OfferedTool {
  name: string;
  server: McpServer;
  tool: ListedTool;
}

interface ToolDefinitionParts {
  description: string;
  parameters: ParametersSchema;
}

/** Returns the approximate number of bytes of a definition in the prompt. */
const bytesOf = (definition: ToolDefinitionParts): number => Buffer.byteLength(JSON.stringify(definition));

/** Returns the definition of a tool with its schema; undefined if the schema has references, which are not sent to models. */
function buildDefinition({ name, description, inputSchema }: ListedTool): ToolDefinitionParts | undefined {
  if (JSON.stringify(inputSchema).includes('"$ref"')) return undefined;
  const properties = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const required = requiredOf(inputSchema);
  const entries = [...new Set([...Object.keys(properties), ...required])].map((key) => {
    const property = properties[key];
    return [key, isRecord(property) ? property : {}] as const;
  });
  return {
    description: toSingleLine(description ?? name, MAX_DESCRIPTION_CHARS),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(entries),
      ...(required.length > 0 && { required }),
    },
  };
}

const buildShortDefinition = ({ name, description }: ListedTool): ToolDefinitionParts => ({
  description: `${toSingleLine(description ?? name, MAX_SHORT_DESCRIPTION_CHARS)} Call it without arguments to get its parameters.`,
  parameters: { type: 'object', properties: {}, additionalProperties: true },
});

/**
 * Offers a tool by name, without its schema. A call that lacks a required argument returns the schema, and a failed call appends it to the
 * error.
 */
function offerByName(
  name: string,
  tool: ListedTool,
  execute: (args: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput>,
): ToolDefinitionParts & Pick<RegisteredTool, 'schema' | 'execute'> {
  const parameters = `Parameters of ${name}: ${JSON.stringify(tool.inputSchema)}`;
  const required = requiredOf(tool.inputSchema);
  return {
    ...buildShortDefinition(tool),
    schema: z.looseObject({}),
    execute: async (args: Record<string, unknown>, context) => {
      if (required.some((key) => !Object.hasOwn(args, key))) return parameters;
      const output = await execute(args, context);
      const isFailed = typeof output !== 'string' && output.isError === true;
      return isFailed ? { ...output, text: `${output.text}\n\n${parameters}` } : output;
    },
  };
}

const requiredOf = ({ required }: ListedTool['inputSchema']): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** Replaces control characters and shortens a text to one line. */
const toSingleLine = (text: string, maxChars: number): string =>
  clip(text.slice(0, maxChars * 8).replaceAll(/\p{C}+/gu, ' '), maxChars);

function selectOffered({ only }: McpServer, tools: readonly ListedTool[]): ListedTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = only ?? [...byName.keys()].toSorted();
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
}

/** Returns notes on tools that cannot be offered because their declaration is unusable. The server's other tools are offered. */
function defectNotesOf({ name }: McpServer, listed: readonly ListedTool[]): string[] {
  const defects = listed.flatMap(({ name: tool, defect }) =>
    defect === undefined ? [] : [`${tool.slice(0, 64)} (${defect})`],
  );
  if (defects.length === 0) return [];
  return [`The MCP server ${name} lists unusable tools: ${listNames(defects, MAX_NAMED_TOOLS)}`];
}

function omissionNotesOf(
  { name, only = [] }: McpServer,
  tools: readonly ListedTool[],
  tooLarge: readonly string[],
): string[] {
  const missing = only.filter((tool) => !tools.some((listed) => listed.name === tool));
  const notes: string[] = [];
  if (missing.length > 0) {
    const toolNames = tools.map((tool) => tool.name.slice(0, 64)).toSorted();
    notes.push(
      `The MCP server ${name} has no tool ${missing.join(', ')} (tools.mcp.${name}.only); it has ${toolNames.slice(0, 40).join(', ') || 'none'}`,
    );
  }
  if (tooLarge.length > 0)
    notes.push(
      `These tools of the MCP server ${name} do not fit into the prompt: ${tooLarge.slice(0, 40).join(', ')}. Name the tools that you need in tools.mcp.${name}.only, or raise tools.mcpSchemaBytes`,
    );
  return notes;
}
