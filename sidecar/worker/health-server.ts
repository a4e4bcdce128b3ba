/**
 * Serves `/healthz`, `/readyz` and `/metrics` over plain HTTP, on loopback by default. All other paths are 404; no
 * request changes anything.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { createCodedError, errorCode, errorMessage } from '../base/values/errors.ts';
import { formatHostAndPort } from '../base/addresses/host-and-port.ts';
import type { Exposition } from '../base/observability/prometheus.ts';

export interface HealthSource {
  /** The worker's state in one word. */
  state: () => string;
  /** The reason why the connected worker cannot run tasks. */
  explainNotReady: () => string | undefined;
  /** The reason why the hub sends no tasks. */
  explainNoTasks?: () => string | undefined;
  /** A problem that does not stop the worker from taking tasks. */
  notice?: () => string | undefined;
  /** The model servers as the answer lists them; `away`: the reason why a server is down. */
  modelServers: () => readonly { url: string; away?: string | undefined }[];
  metrics: () => Promise<Exposition>;
}

export interface HealthServer {
  url: string;
  close(): Promise<void>;
}

/** Starts the server. Rejects with the code `observability_address` if the address cannot be used. */
export async function startHealthServer(
  source: HealthSource,
  { host, port, allowedHosts = [] }: { host: string; port: number; allowedHosts?: readonly string[] },
): Promise<HealthServer> {
  const hostNames = new Set([host, hostname(), ...allowedHosts].map((name) => name.toLowerCase()));
  const server = createServer((request, response) => {
    if (!isAllowedHost(request.headers.host, hostNames)) {
      return sendJson(response, 421, {
        error: 'host name not allowed: add it to observability.allowedHosts',
      });
    }
    answerRequest(source, request.url ?? '/', response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: errorMessage(error) });
      else response.destroy();
    });
  });
  await listen(server, host, port);
  // Open connections of scrapers must not keep the worker running.
  server.unref();
  const address = server.address() as AddressInfo;
  return {
    url: `http://${formatHostAndPort(host, address.port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Returns whether the Host header names this server. This prevents DNS rebinding: a web page's domain can be made to
 * point here, but not an IP address or a name without a dot, which cannot be registered.
 */
function isAllowedHost(header: string | undefined, hostNames: ReadonlySet<string>): boolean {
  if (header === undefined) return true;
  const name = header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 || hostNames.has(name) || /^[\w-]+$/.test(name);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // This listener also handles later errors, such as too many open files, which must not end the worker.
    server.on('error', (error) => {
      const message = `observability: cannot listen on ${host}:${port} (${errorCode(error)}); choose another observability.port or observability.host`;
      reject(createCodedError('observability_address', message));
    });
    server.listen(port, host, resolve);
  });
}

async function answerRequest(source: HealthSource, url: string, response: ServerResponse): Promise<void> {
  const state = source.state();
  switch (url.split('?')[0]) {
    case '/healthz':
      return sendJson(response, state === 'stopped' ? 503 : 200, { status: state });
    case '/readyz': {
      const noTasks = source.explainNoTasks?.();
      if (noTasks !== undefined && state !== 'stopped') {
        return sendJson(response, 503, { status: 'no_tasks', reason: noTasks });
      }
      const reason = source.explainNotReady();
      const servers = source.modelServers();
      const notice = source.notice?.();
      const extraFields = {
        ...(servers.length > 1 && { model_servers: servers }),
        ...(notice && { notice }),
      };
      if (state !== 'ready' || reason === undefined) {
        return sendJson(response, state === 'ready' ? 200 : 503, { status: state, ...extraFields });
      }
      return sendJson(response, 503, { status: 'model_away', reason, ...extraFields });
    }
    case '/metrics': {
      const { contentType, body } = await source.metrics();
      response.writeHead(200, { 'content-type': contentType }).end(body);
      return;
    }
    default:
      sendJson(response, 404, { error: 'unknown path; use /healthz, /readyz or /metrics' });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
