/** The MCP server on stdin and stdout, which carry only the protocol, until the caller closes stdin. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer } from './server.ts';
import type { McpHost } from './tool.ts';

/** Serves the tools until stdin ends or `stop` aborts; running calls are then aborted. */
export async function serveStdio(host: McpHost, stop: AbortSignal): Promise<void> {
  const mcp = createMcpServer(host);
  const connectionEnd = new Promise<void>((resolve) => {
    // Handlers are assigned, since neither object is an event target.
    Object.assign(mcp.server, {
      onclose: resolve,
      onerror: (error: Error) => host.logger.warn({ err: error }, 'an MCP message could not be read or sent'),
    });
    process.stdin.once('end', resolve).once('close', resolve);
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await mcp.connect(new StdioServerTransport());
  await connectionEnd;
  await mcp.close();
}
