/** The MCP server over streamable HTTP, without sessions: any replica of a hub can answer each request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpServer } from './server.ts';
import type { McpHost } from './tool.ts';

/** Answers one POST request whose body is already parsed. If the caller disconnects, running tools are aborted. */
export async function answerMcp(
  host: McpHost,
  { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: unknown },
): Promise<void> {
  if (request.socket.destroyed) return;
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
