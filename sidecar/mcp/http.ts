/**
 * The MCP server over streamable HTTP. There are no sessions: each request stands alone, so that any replica of a hub
 * can answer it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpServer } from './server.ts';
import type { McpHost } from './tool.ts';

/** Answers one POST, whose body is parsed already. A caller that leaves ends what its request began. */
export async function answerMcp(
  host: McpHost,
  { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: unknown },
): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = createMcpServer(host);
  response.once('close', () => {
    server
      .close()
      .catch((error: unknown) => host.logger.warn({ err: error }, 'an MCP connection did not close'));
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}
