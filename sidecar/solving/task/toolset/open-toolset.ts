/**
 * Opens the tools of one task: the standard tools, the operator's own tools and those of MCP servers, limited by the lists of the operator
 * and the task. A task can only remove tools. Their order is that of the configuration, so that the beginning of the prompt is the same for
 * all tasks. If no server is configured, nothing is started or loaded.
 */
import * as z from 'zod';
import type { Config } from '../../../base/config/schema.ts';
import type { ExecutionEnvironment, OnProgress } from '../../../base/ports.ts';
import type { Task } from '../../../base/protocol/task.ts';
import type { CleanupStack } from '../../../base/system/cleanup-stack.ts';
import { STANDARD_TOOL_NAMES } from '../../../tools/aliases.ts';
import type { DeclaredTools } from '../../../tools/mcp/declare-tools.ts';
import type { ToolLists } from '../../../tools/mcp/tool-lists.ts';
import { toolPrefixOf } from '../../../tools/mcp/tool-names.ts';
import type { McpServer } from '../../../tools/mcp/types.ts';
import { createOwnTool } from '../../../tools/own/own-tool.ts';
import {
  isSelected,
  createToolset,
  findUnknownNames,
  type Toolset,
  type ToolSelection,
} from '../../../tools/selection.ts';
import { memoize } from '../../../base/values/memoize.ts';
import type { RegisteredTool } from '../../../tools/types.ts';
import { isReadOnly } from '../run-limits.ts';

export interface ToolsetRequest {
  task: Pick<Task, 'metadata'>;
  config: Pick<Config, 'tools'>;
  env: ExecutionEnvironment;
  emit: OnProgress;
  signal: AbortSignal;
  /** Tool lists of servers from earlier tasks. */
  lists: ToolLists;
}

/**
 * Returns the toolset; undefined if it is the standard one. Started servers are added to `opened`. Throws `task_tools_invalid` if the task
 * names an unknown tool.
 */
export async function openToolset(
  request: ToolsetRequest,
  opened: CleanupStack,
): Promise<Toolset | undefined> {
  const { tools } = request.config;
  const options = toolOptionsOf(request.task.metadata);
  const servers = selectServers(tools.mcp, options.servers);
  const own = createOwnTools(tools.own);
  const selections = [tools, options].filter(({ only, disabled = [] }) => only || disabled.length > 0);
  const served =
    servers.length === 0
      ? NO_SERVER_TOOLS
      : await startServers(request, { servers, createOwnTools: own, selections }, opened);
  const names = [...own.map(({ name }) => name), ...served.names];
  for (const selection of selections) {
    const unknown = findUnknownNames(selection, (name) => names.includes(name));
    checkNames(request, { unknown, servers, names });
  }
  const added = [...own, ...served.tools];
  const changesNothing = isReadOnly(request.task);
  const isStandard = added.length + selections.length === 0 && !changesNothing;
  return isStandard ? undefined : createToolset(added, selections, changesNothing);
}

const NO_SERVER_TOOLS: Pick<DeclaredTools, 'tools' | 'names'> = { tools: [], names: [] };

/**
 * Checks the names in a selection. A name that could belong to a tool of an MCP server causes only a warning, since server lists can
 * change.
 */
function checkNames(
  { emit }: ToolsetRequest,
  found: { unknown: readonly string[]; servers: readonly McpServer[]; names: readonly string[] },
): void {
  const { unknown, servers, names } = found;
  const isPossibleName = (name: string) =>
    servers.some((server) => name.startsWith(toolPrefixOf(server.name)));
  const wrong = unknown.filter((name) => !isPossibleName(name));
  if (wrong.length > 0) {
    const known = [...STANDARD_TOOL_NAMES, ...names].join(', ');
    throw createToolsError(`${wrong.join(', ')} is not a tool of this worker; its tools are ${known}`);
  }
  if (unknown.length > 0)
    emit({ event_type: 'status', text: `Warning: no MCP server currently has a tool ${unknown.join(', ')}` });
}

/** Returns the servers that the task may use. Throws `task_tools_invalid`. */
function selectServers(
  configured: Config['tools']['mcp'],
  wanted: readonly string[] | undefined,
): McpServer[] {
  const servers = Object.entries(configured).map(([name, server]) => ({ ...server, name }));
  if (!wanted) return servers;
  const unknown = wanted.filter((name) => !servers.some((server) => server.name === name));
  if (unknown.length > 0) {
    const known = servers.map(({ name }) => name).join(', ') || 'none';
    throw createToolsError(
      `metadata.tools_mcp: this worker has no MCP server ${unknown.join(', ')}; its MCP servers are: ${known}`,
    );
  }
  return servers.filter(({ name }) => wanted.includes(name));
}

/** Starts the servers and returns their tools, with unique names. */
async function startServers(
  { config, env, emit, signal, lists }: ToolsetRequest,
  given: {
    servers: readonly McpServer[];
    createOwnTools: readonly RegisteredTool[];
    selections: readonly ToolSelection[];
  },
  opened: CleanupStack,
): Promise<DeclaredTools> {
  const { servers, createOwnTools: own, selections } = given;
  const [{ McpServers }, { declareTools }] = await Promise.all([
    import('../../../tools/mcp/servers.ts'),
    import('../../../tools/mcp/declare-tools.ts'),
  ]);
  const running = new McpServers(lists);
  opened.add(() => running.close());
  const { listings, failures } = await running.list(servers, env, signal);
  const declared = declareTools(listings, {
    takenNames: [...STANDARD_TOOL_NAMES, ...own.map(({ name }) => name)],
    maxBytes: config.tools.mcpSchemaBytes,
    isWanted: (name) => isSelected(name, selections),
    call: (server, tool, args, context) => running.call(server, tool, args, context),
  });
  const notes = failures.map((failure) => `${failure}. The task continues without the tools of this server`);
  for (const text of [...notes, ...declared.notes]) emit({ event_type: 'status', text: `Warning: ${text}` });
  return declared;
}

/** Returns the operator's own tools, cached for all tasks, so that their schemas are built once. */
const createOwnTools = memoize((settings: Config['tools']['own']): readonly RegisteredTool[] =>
  settings.map(createOwnTool),
);

/** Names that limit the tools. Invalid values are refused, since they may be meant to forbid a tool. */
const namesSchema = z.array(z.string().min(1).max(64)).max(200);
const optionsSchema = z.object({
  tools_only: namesSchema.min(1).nullish(),
  tools_disabled: namesSchema.nullish(),
  tools_mcp: namesSchema.nullish(),
});

interface ToolOptions extends ToolSelection {
  /** MCP servers, by name; undefined for all. */
  servers?: readonly string[];
}

/** Reads the tool options of a task. Throws `task_tools_invalid`. */
function toolOptionsOf(metadata: Task['metadata']): ToolOptions {
  const read = optionsSchema.safeParse(metadata);
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path }) => `metadata.${String(path[0])}`))];
    throw createToolsError(`${fields.join(', ')}: write a list of names`);
  }
  const { tools_only: only, tools_disabled: disabled, tools_mcp: servers } = read.data;
  return { only: only ?? undefined, disabled: disabled ?? undefined, servers: servers ?? undefined };
}

const createToolsError = (message: string): Error =>
  Object.assign(new TypeError(message), { code: 'task_tools_invalid' });
