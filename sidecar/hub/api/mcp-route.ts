/**
 * `/mcp`: the hub's tools for coding agents over streamable HTTP. They call this hub's own API with the caller's token,
 * so that its roles and limits apply. The MCP package is loaded at the first call.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import { formatHostAndPort } from '../../base/addresses/host-and-port.ts';
import { createHubClient } from '../client/hub-client.ts';
import { createSecretMasker } from '../../base/observability/secrets.ts';
import type { ApiContext } from './context.ts';
import { ProblemError } from './problem.ts';
import { authenticate, parseBearerToken } from './route.ts';
import { isSameOrigin } from '../socket/gateway.ts';

export function serveMcp(app: FastifyInstance, context: ApiContext): void {
  app.post('/mcp', async (request, reply) => {
    refuseOtherSites(request);
    const { authorization } = request.headers;
    await authenticate(context.authenticator, authorization, 'viewer');
    const token = parseBearerToken(authorization);
    const client = createHubClient({ url: findOwnUrl(app), token });
    const { answerMcp } = await import('../mcp/http.ts');
    const host = {
      connect: () => Promise.resolve(client),
      masker: createSecretMasker([token]),
      logger: context.logger,
    };
    reply.hijack();
    try {
      await answerMcp(host, { request: request.raw, response: reply.raw, body: request.body });
    } catch (error) {
      context.logger.error({ err: error }, 'an MCP request failed');
      reply.raw.destroy();
    }
  });
  // Clients try to open a stream outside of requests, which a server without sessions does not have.
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => {
      void reply.header('allow', 'POST');
      throw new ProblemError('hub_method', 'Send MCP messages with POST.');
    },
  });
}

/** Refuses requests that pages of other sites send, as MCP requires. */
function refuseOtherSites({ headers: { origin, host } }: FastifyRequest): void {
  if (isSameOrigin(origin, host)) return;
  throw new ProblemError('hub_origin', 'Send MCP requests from a program, or from a page of this hub.');
}

/** Returns the address at which this process reaches itself. */
function findOwnUrl(app: FastifyInstance): string {
  const { address, port } = app.server.address() as AddressInfo;
  const loopbackAddresses: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return `http://${formatHostAndPort(loopbackAddresses[address] ?? address, port)}`;
}
