/** Records the newest requests to a scripted server, and waits for requests without sleeping. */
import { EventEmitter } from 'node:events';

export interface ReceivedRequest {
  method: string;
  path: string;
  /** Body of the request as parsed JSON; null if there was none. */
  body: unknown;
  /** The caller's port: equal for all requests on one connection. */
  remotePort: number | undefined;
  /** Milliseconds since the epoch. */
  atMs: number;
  /** Whether the client closed the connection before the whole answer was sent. */
  closedEarly: boolean;
  /** Time at which the answer was sent or the connection closed, whichever came first. */
  endedAtMs?: number;
  /** Resolves when the request has ended; never rejects. */
  ended: Promise<void>;
}

const MAX_REQUESTS = 2000;
const DEFAULT_WAIT_MS = 60_000;

export class Recorder {
  readonly requests: ReceivedRequest[] = [];
  readonly #events = new EventEmitter<{ added: [request: ReceivedRequest, index: number] }>().setMaxListeners(
    0,
  );
  #addedCount = 0;

  add(request: ReceivedRequest): void {
    this.requests.push(request);
    this.#addedCount += 1;
    if (this.requests.length > MAX_REQUESTS) this.requests.shift();
    this.#events.emit('added', request, this.#addedCount);
  }

  /**
   * Returns the request with the number `wanted` (from 1), or the first request that a predicate accepts, including
   * earlier requests. Rejects after `timeoutMs` with the paths of the received requests.
   */
  async waitFor(
    wanted: number | ((request: ReceivedRequest) => boolean),
    timeoutMs = DEFAULT_WAIT_MS,
  ): Promise<ReceivedRequest> {
    const isWanted = (request: ReceivedRequest, index: number): boolean =>
      typeof wanted === 'number' ? index === wanted : wanted(request);
    const dropped = this.#addedCount - this.requests.length;
    const found = this.requests.find((request, index) => isWanted(request, dropped + index + 1));
    if (found) return found;
    return await new Promise<ReceivedRequest>((resolve, reject) => {
      const onAdded = (request: ReceivedRequest, index: number): void => {
        if (!isWanted(request, index)) return;
        clearTimeout(timer);
        this.#events.off('added', onAdded);
        resolve(request);
      };
      const timer = setTimeout(() => {
        this.#events.off('added', onAdded);
        const receivedPaths = this.requests.map(({ path }) => path).join(', ');
        reject(new Error(`no such request within ${timeoutMs} ms; came: ${receivedPaths || 'none'}`));
      }, timeoutMs);
      this.#events.on('added', onAdded);
    });
  }
}
