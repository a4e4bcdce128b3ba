/**
 * The WebSocket server of the hub: upgrades on `/ws`, one session per connection. Browsers on other sites are refused
 * by their Origin; frames are bounded before they are read.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_IN_BYTES } from '../../base/protocol/limits.ts';
import { WorkerSession, type SessionOptions } from './worker-session.ts';

interface GatewayOptions extends Omit<SessionOptions, 'socket'> {
  server: Server;
}

export const WORKER_PATH = '/ws';
/** Limit of open connections, identified or not. */
const MAX_CONNECTIONS = 10_000;
/** How long a refused client may take to read the refusal. */
const REFUSAL_TIMEOUT_MS = 10_000;

export class Gateway {
  readonly #sessions = new Set<WorkerSession>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_IN_BYTES,
    perMessageDeflate: false,
  });
  readonly #options: GatewayOptions;
  #isClosing = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    options.server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
  }

  /** Closes every connection with 1012 (service restart) and waits until each is settled. */
  async close(): Promise<void> {
    // Set first, since a connection that opens now would not be closed.
    this.#isClosing = true;
    const sessions = [...this.#sessions];
    for (const session of sessions) {
      session.close(1012, 'the hub restarts');
      session.terminate();
    }
    await Promise.all(sessions.map((session) => session.waitForFrames()));
    this.#sockets.close();
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#findRefusal(request);
    if (refusal) {
      // Otherwise a peer that never closes its side would keep the connection, and the hub open, for ever.
      const timer = setTimeout(() => socket.destroy(), REFUSAL_TIMEOUT_MS);
      socket.on('error', () => socket.destroy()).once('finish', () => socket.destroy());
      socket.once('close', () => clearTimeout(timer));
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const { server: _server, onGone, ...options } = this.#options;
      const session = new WorkerSession({
        ...options,
        socket: webSocket,
        onGone: async (gone) => {
          try {
            await onGone(gone);
          } finally {
            // Removed last, since closing the hub waits for all sessions.
            this.#sessions.delete(gone);
          }
        },
      });
      this.#sessions.add(session);
    });
  }

  #findRefusal(request: IncomingMessage): string | undefined {
    const path = (request.url ?? '').split('?')[0];
    if (path !== WORKER_PATH) return '404 Not Found';
    if (!isSameOrigin(request.headers.origin, request.headers.host)) return '403 Forbidden';
    if (this.#isClosing || this.#sessions.size >= MAX_CONNECTIONS) return '503 Service Unavailable';
    return undefined;
  }
}

/** Returns whether a request comes from the hub's own page, or has no Origin because a worker sent it. */
export function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
