/**
 * MCP servers that a repository names in its `.ollama-sidecar.json`, where the operator lets it. Their programs run in
 * the sandbox, as the task's commands do; an address is used only where the operator's list has it.
 */
import { repositorySettings } from '../../config/mcp-servers.ts';
import type { Config } from '../../config/schema.ts';
import type { ExecutionEnvironment } from '../../ports.ts';
import type { McpServer } from '../../tools/mcp/types.ts';
import { parseJson, withoutByteOrderMark } from '../../values/json.ts';

const FILE = '.ollama-sidecar.json';
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** A server that cannot be used is a note. Never rejects for the file's content. */
export async function repositoryServers(
  env: ExecutionEnvironment,
  { mcpHosts, mcp }: Pick<Config['tools'], 'mcpHosts' | 'mcp'>,
  origin: string,
): Promise<{ servers: McpServer[]; notes: string[] }> {
  if (!(await env.fileExists(FILE))) return { servers: [], notes: [] };
  const sandbox = await env.sandboxStatus?.();
  // Whoever can write to the repository would run programs with the worker's own rights.
  if (sandbox?.sandboxed === false)
    return { servers: [], notes: [`${FILE}: its servers are used in a sandbox only: ${sandbox.reason}`] };
  const { text } = await env.readFile(FILE);
  const read = repositorySettings.safeParse(parseJson(withoutByteOrderMark(text)));
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = issue
      ? `${issue.path.map(String).join('.') || FILE}: ${issue.message}`
      : 'it cannot be read';
    return { servers: [], notes: [`${FILE} configures no usable MCP server: ${what}`] };
  }
  const notes: string[] = [];
  const servers = Object.entries(read.data.tools.mcp).flatMap(([name, server]): McpServer[] => {
    const problem = Object.hasOwn(mcp, name)
      ? 'the operator has a server of that name'
      : whyNotAllowed(server.url, mcpHosts);
    if (problem !== undefined) notes.push(`The MCP server ${name} of ${FILE} is not used: ${problem}`);
    return problem === undefined
      ? [{ ...server, name, env: {}, headers: {}, network: false, effects: 'any', origin }]
      : [];
  });
  return { servers, notes };
}

function whyNotAllowed(url: string | undefined, allowed: readonly string[]): string | undefined {
  if (url === undefined) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const host = `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
  return allowed.includes(host) ? undefined : `${host} is not in tools.mcpHosts`;
}
