/**
 * What a scripted server was asked, and waiting for it without sleeping. Keeps the newest requests only,
 * so that a server that runs for days stays small.
 */

export interface RecordedRequest {
  method: string;
  path: string;
  /** Parsed JSON; null when there was none. */
  body: unknown;
  /** The caller's port: the same for all requests on one connection. */
  remotePort: number | undefined;
  /** Milliseconds since the epoch. */
  atMs: number;
  /** The other side closed the connection before the whole answer was sent. */
  closedEarly: boolean;
  /** When the answer was sent or the connection closed, whichever came first. */
  endedAtMs?: number;
  /** Resolves at that moment; never rejects. */
  ended: Promise<void>;
}

const KEPT_REQUESTS = 2000;
const DEFAULT_WAIT_MS = 10_000;

interface Waiter {
  wanted: (request: RecordedRequest, index: number) => boolean;
  found: (request: RecordedRequest) => void;
}

export interface Recorder {
  readonly requests: RecordedRequest[];
  add(request: RecordedRequest): void;
  /**
   * The `which`-th request (from 1), or the first that a predicate accepts; at once when it was already there.
   * Rejects after `timeoutMs` with what came instead.
   */
  waitFor: (
    which: number | ((request: RecordedRequest) => boolean),
    timeoutMs?: number,
  ) => Promise<RecordedRequest>;
}

export function createRecorder(): Recorder {
  const requests: RecordedRequest[] = [];
  const waiters = new Set<Waiter>();
  let added = 0;
  return {
    requests,
    add(request) {
      requests.push(request);
      added += 1;
      if (requests.length > KEPT_REQUESTS) requests.shift();
      for (const waiter of waiters) if (waiter.wanted(request, added)) waiter.found(request);
    },
    async waitFor(which, timeoutMs = DEFAULT_WAIT_MS) {
      const wanted: Waiter['wanted'] =
        typeof which === 'number' ? (_request, index) => index === which : (request) => which(request);
      const dropped = added - requests.length;
      const there = requests.find((request, index) => wanted(request, dropped + index + 1));
      if (there) return there;
      return await new Promise<RecordedRequest>((resolve, reject) => {
        const waiter: Waiter = { wanted, found: (request) => finish(() => resolve(request)) };
        const finish = (settle: () => void): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
          settle();
        };
        const timer = setTimeout(() => {
          const came = requests.map(({ path }) => path).join(', ');
          finish(() => reject(new Error(`no such request within ${timeoutMs} ms; came: ${came || 'none'}`)));
        }, timeoutMs);
        waiters.add(waiter);
      });
    },
  };
}
