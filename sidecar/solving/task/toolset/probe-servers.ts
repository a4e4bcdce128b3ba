/** Tests whether the configured MCP servers answer. Each server is started as for a task, in an empty folder, and asked for its tools. */
import type { Config } from '../../../base/config/schema.ts';
import { LocalExecutionEnvironment } from '../../../workspace/local-environment.ts';
import { CleanupStack } from '../../../base/system/cleanup-stack.ts';
import { createTimeoutSignal, systemClock } from '../../../base/system/clock.ts';
import { STANDARD_TOOL_NAMES } from '../../../tools/aliases.ts';
import { declareTools } from '../../../tools/mcp/declare-tools.ts';
import { McpServers } from '../../../tools/mcp/servers.ts';
import { ToolLists } from '../../../tools/mcp/tool-lists.ts';
import { buildEnvironmentOptions } from '../environment-options.ts';
import { removeFolder } from '../../../base/system/remove-folder.ts';
import { makeTemporaryFolder } from '../../../base/system/temporary-folder.ts';

export interface ProbedServer {
  name: string;
  /** Number of tools that the server lists; undefined if it does not answer. */
  listedCount?: number;
  /** Names of the tools that a model gets. */
  offeredTools: string[];
  /** Problems, and tools that are not offered. */
  notes: string[];
}

/** Probes each server with a time limit. Rejects with a coded error if no command can run. */
export async function probeServers(
  config: Pick<Config, 'sandbox' | 'tools'>,
  limitMs: number,
): Promise<ProbedServer[]> {
  const opened = new CleanupStack();
  try {
    const workspace = makeTemporaryFolder('ollama-sidecar-probe-');
    opened.add(() => removeFolder(workspace));
    const env = new LocalExecutionEnvironment({ ...buildEnvironmentOptions(config), workspace });
    opened.add(() => env.cleanup());
    const running = new McpServers(new ToolLists(systemClock));
    opened.add(() => running.close());
    const { mcp, mcpSchemaBytes: maxBytes } = config.tools;
    return await Promise.all(
      Object.entries(mcp).map(async ([name, settings]) => {
        const server = { ...settings, name, timeoutMs: Math.min(limitMs, settings.timeoutMs) };
        const { listings, failures } = await running.list([server], env, createTimeoutSignal(2 * limitMs));
        const call = () => Promise.reject(new Error('a probe calls no tool'));
        const declared = declareTools(listings, { takenNames: STANDARD_TOOL_NAMES, maxBytes, call });
        const [listing] = listings;
        return {
          name,
          ...(listing ? { listedCount: listing.tools.length } : {}),
          offeredTools: declared.tools.map((tool) => tool.name),
          notes: [...failures, ...declared.notes],
        };
      }),
    );
  } finally {
    await opened.close();
  }
}
