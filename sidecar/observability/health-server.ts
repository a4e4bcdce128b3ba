/**
 * `/healthz`, `/readyz` and `/metrics` over plain HTTP, on loopback by default. Anything else
 * is a 404; no request changes anything.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { codedError, errorCode, errorMessage } from '../values/errors.ts';
import { hostAndPort } from '../addresses/host-and-port.ts';
import type { Exposition } from './prometheus.ts';

export interface HealthSource {
  /** The worker's state in a word. */
  state: () => string;
  /** Why no task could be worked on although the worker is connected. */
  notReady: () => string | undefined;
  /** Why no task may arrive from the hub. */
  noTasks?: () => string | undefined;
  /** Something unusual that keeps no task away. */
  notice?: () => string | undefined;
  /** Each model server, and why it is away. */
  modelServers: () => readonly { url: string; away?: string }[];
  metrics: () => Promise<Exposition>;
}

export interface HealthServer {
  url: string;
  close(): Promise<void>;
}

/** Rejects with the code `observability_address` when it cannot listen there. */
export async function startHealthServer(
  source: HealthSource,
  { host, port, allowedHosts = [] }: { host: string; port: number; allowedHosts?: readonly string[] },
): Promise<HealthServer> {
  const names = new Set([host, hostname(), ...allowedHosts].map((name) => name.toLowerCase()));
  const server = createServer((request, response) => {
    if (!isMeant(request.headers.host, names)) {
      return sendJson(response, 421, { error: 'not for this host name: see observability.allowedHosts' });
    }
    answer(source, request.url ?? '/', response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: errorMessage(error) });
      else response.destroy();
    });
  });
  await listen(server, host, port);
  // An open connection of a scraper must not keep the worker running.
  server.unref();
  const address = server.address() as AddressInfo;
  return {
    url: `http://${hostAndPort(host, address.port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Whether a request's Host header names this server. A page of the web can have its own name lead here, but neither an
 * address nor a name without a dot, which nobody can register.
 */
function isMeant(header: string | undefined, names: ReadonlySet<string>): boolean {
  if (header === undefined) return true;
  const name = header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 || names.has(name) || /^[\w-]+$/.test(name);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Also of later ones, such as too many open files: they end no worker.
    server.on('error', (error) => {
      const message = `observability: cannot listen on ${host}:${port} (${errorCode(error)}); choose another observability.port`;
      reject(codedError('observability_address', message));
    });
    server.listen(port, host, resolve);
  });
}

async function answer(source: HealthSource, url: string, response: ServerResponse): Promise<void> {
  const state = source.state();
  switch (url.split('?')[0]) {
    case '/healthz':
      return sendJson(response, state === 'stopped' ? 503 : 200, { status: state });
    case '/readyz': {
      const noTasks = source.noTasks?.();
      if (noTasks !== undefined && state !== 'stopped') {
        return sendJson(response, 503, { status: 'no_tasks', reason: noTasks });
      }
      const reason = source.notReady();
      const servers = source.modelServers();
      const notice = source.notice?.();
      const several = { ...(servers.length > 1 && { model_servers: servers }), ...(notice && { notice }) };
      if (state !== 'ready' || reason === undefined) {
        return sendJson(response, state === 'ready' ? 200 : 503, { status: state, ...several });
      }
      return sendJson(response, 503, { status: 'model_away', reason, ...several });
    }
    case '/metrics': {
      const { contentType, body } = await source.metrics();
      response.writeHead(200, { 'content-type': contentType }).end(body);
      return;
    }
    default:
      sendJson(response, 404, { error: 'there are /healthz, /readyz and /metrics' });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
