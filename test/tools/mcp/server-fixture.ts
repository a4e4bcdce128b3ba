/** A real MCP server in a workspace of its own, and its tools called as a model's calls are. */
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalExecutionEnvironmentOptions } from '../../../sidecar/workspace/local-environment.ts';
import type { ExecutionEnvironment } from '../../../sidecar/base/ports.ts';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import { dispatchToolCalls, type DispatchOptions } from '../../../sidecar/tools/dispatch.ts';
import { declareTools } from '../../../sidecar/tools/mcp/declare-tools.ts';
import { McpServers } from '../../../sidecar/tools/mcp/servers.ts';
import { ToolLists } from '../../../sidecar/tools/mcp/tool-lists.ts';
import type { McpServer } from '../../../sidecar/tools/mcp/types.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';
import type { ToolCallResult } from '../../../sidecar/tools/types.ts';
import { eventually } from '../../support/eventually.ts';
import { withWorkspace } from '../../support/workspace-fixture.ts';

export interface ServedTools {
  env: ExecutionEnvironment;
  /** Names of the tools that are offered. */
  names: string[];
  notes: string[];
  call: (name: string, args?: object, options?: DispatchOptions) => Promise<ToolCallResult>;
  servers: McpServers;
  /** How many server processes were started. */
  started: () => Promise<number>;
}

/** A server by what matters in a test. */
export const server = (more: Partial<McpServer>): McpServer => ({
  name: 'test',
  command: 'node',
  args: ['server.mjs'],
  env: {},
  network: false,
  headers: {},
  timeoutMs: 20_000,
  effects: 'any',
  ...more,
});

/** Lists the servers' tools, gives them to `run`, and looks afterwards that no process of theirs is left. */
export async function withServers(
  servers: readonly McpServer[],
  run: (served: ServedTools) => Promise<void>,
  {
    lists = new ToolLists(systemClock),
    environment = {},
  }: { lists?: ToolLists; environment?: Partial<LocalExecutionEnvironmentOptions> } = {},
): Promise<void> {
  await withWorkspace(environment, async ({ env, workspace }) => {
    await copyFile(
      fileURLToPath(new URL('server-program.mjs', import.meta.url)),
      join(workspace, 'server.mjs'),
    );
    const running = new McpServers(lists);
    const pids = async () =>
      (await readFile(join(workspace, 'pids'), 'utf8').catch(() => ''))
        .split('\n')
        .filter(Boolean)
        .map(Number);
    try {
      const { listings, failures } = await running.list(servers, env, new AbortController().signal);
      const declared = declareTools(listings, {
        takenNames: createToolRegistry().names(),
        maxBytes: 8_000,
        call: (...called) => running.call(...called),
      });
      const registry = createToolRegistry(declared.tools);
      await run({
        env,
        names: declared.tools.map(({ name }) => name),
        notes: [...failures, ...declared.notes],
        call: async (name, args = {}, options = {}) => {
          const [result] = await dispatchToolCalls(
            [{ toolCallId: '1', toolName: name, args }],
            registry,
            env,
            options,
          );
          if (!result) throw new Error('no result');
          return result;
        },
        servers: running,
        started: async () => (await pids()).length,
      });
    } finally {
      await running.close();
    }
    if (environment.sandbox !== 'required')
      for (const pid of await pids()) await eventually(() => !isAlive(pid), `process ${pid} to be gone`);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
