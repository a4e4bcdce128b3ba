/**
 * The connection to the hub as such: one socket at a time, tried again until it is stopped. `state` changes only in
 * `#enter`:
 *
 *   idle → connecting → ready → waiting → connecting …    a lost or refused connection is tried again
 *   any → stopped                                         `stop`, a refused token, a forbidden address
 */
import type { Clock, Logger } from '../ports.ts';
import { encodeWorkerFrame } from '../protocol/encode-frame.ts';
import type { FrameFailure } from '../protocol/frames.ts';
import type { HubFeatures, HubFrame } from '../protocol/hub-frames.ts';
import { backoffMs, cooldownMs } from './backoff.ts';
import { HubSocket } from './hub-socket.ts';
import { identifyFrame } from './identify.ts';
import type { Line } from './outgoing.ts';
import type { Disconnection, HubLinkState, WorkerIdentity } from './types.ts';

const IDENTIFY_TIMEOUT_MS = 15_000;
const TICK_MS = 1_000;

type Timer = 'deadline' | 'retry' | 'tick';

/** What happens on the connection; nothing of it comes after `stop`. None of these may throw. */
export interface ConnectionEvents {
  onFrame: (frame: HubFrame) => void;
  onUnreadable: (failure: FrameFailure) => void;
  onPong: (data: string) => void;
  /** Once a second while the hub is there. */
  onTick: () => void;
  onLost: (disconnection: Disconnection) => void;
}

export interface ConnectionOptions extends ConnectionEvents {
  identity: WorkerIdentity;
  clock: Clock;
  logger?: Logger;
  /** 0 to below 1; for the jitter. */
  random: () => number;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #state: HubLinkState = 'idle';
  #url: URL | undefined;
  #socket: HubSocket | undefined;
  #opened = 0;
  #attempts = 0;
  #awayMs = 0;
  #everConnected = false;
  readonly #cancelTimers = new Map<Timer, () => void>();
  /** Timers of the clock do not keep a process alive; waiting for a hub has to. */
  #alive: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): HubLinkState {
    return this.#state;
  }

  /** Counts connections that were opened; tells what was said on which. */
  get number(): number {
    return this.#opened;
  }

  /** Connects, and again whenever the connection is lost. */
  start(url: URL): void {
    this.#url = url;
    this.#alive = setInterval(() => undefined, 2 ** 30);
    this.#connect();
  }

  /** The hub said `identified`. */
  identified(): void {
    this.#attempts = 0;
    this.#everConnected = true;
    this.#enter('ready');
    this.#timer('tick', TICK_MS, () => this.#tick());
  }

  /** What can be sent on now; undefined without a socket. */
  line(features: HubFeatures | undefined): Line | undefined {
    const socket = this.#socket;
    if (!socket) return undefined;
    return {
      connection: this.#opened,
      features,
      get bufferedBytes() {
        return socket.bufferedBytes;
      },
      send: (text) => socket.send(text),
    };
  }

  /** Ends the socket that there is; another one follows. */
  reconnect(cause: string): void {
    this.#socket?.terminate(cause);
  }

  ping(data: string): void {
    this.#socket?.ping(data);
  }

  /** Ends the socket that there is, politely; another one follows after `forMs`. */
  leave(cause: string, forMs: number): void {
    this.#attempts = 0;
    this.#awayMs = forMs;
    this.#socket?.close(cause);
  }

  /** Ends it for good; resolves when the socket is closed. Later calls do nothing. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#enter('stopped');
    clearInterval(this.#alive);
    const socket = this.#socket;
    if (!socket) return;
    const closed = new Promise<void>((resolve) => (this.#closed = resolve));
    socket.close();
    await closed;
  }

  #connect(): void {
    const url = this.#url;
    if (!url) return;
    this.#enter('connecting');
    this.#socket = new HubSocket({
      url,
      clock: this.#options.clock,
      onOpen: () => {
        this.#opened += 1;
        this.#socket?.send(encodeWorkerFrame(identifyFrame(this.#options.identity)).text);
      },
      onFrame: (frame) => {
        if (this.#state !== 'stopped') this.#options.onFrame(frame);
      },
      onUnreadable: (failure) => {
        if (this.#state !== 'stopped') this.#options.onUnreadable(failure);
      },
      onPong: (data) => {
        if (this.#state !== 'stopped') this.#options.onPong(data);
      },
      onClose: (close) => this.#lost(close),
    });
    this.#timer('deadline', IDENTIFY_TIMEOUT_MS, () => this.reconnect('the hub did not answer `identify`'));
  }

  #lost({ code, reason }: { code: number; reason: string }): void {
    this.#socket = undefined;
    this.#closed?.();
    if (this.#state === 'stopped') return;
    const { random, logger, onLost } = this.#options;
    const cooledMs = code === 1008 ? (cooldownMs(reason) ?? 0) : 0;
    const retryInMs = Math.max(backoffMs(this.#attempts, random), cooledMs, this.#awayMs);
    this.#awayMs = 0;
    this.#attempts += 1;
    this.#enter('waiting');
    this.#timer('retry', retryInMs, () => this.#connect());
    const why = `${reason || 'the connection was lost'} (${code})`;
    logger?.warn({ reason: why, retry_in_ms: retryInMs }, 'No connection to the hub');
    onLost({ reason: why, attempts: this.#attempts, everConnected: this.#everConnected, retryInMs });
  }

  #tick(): void {
    this.#timer('tick', TICK_MS, () => this.#tick());
    this.#options.onTick();
  }

  #enter(state: HubLinkState): void {
    this.#state = state;
    for (const cancel of this.#cancelTimers.values()) cancel();
    this.#cancelTimers.clear();
  }

  #timer(name: Timer, delayMs: number, run: () => void): void {
    this.#cancelTimers.get(name)?.();
    this.#cancelTimers.set(name, this.#options.clock.schedule(delayMs, run));
  }
}
