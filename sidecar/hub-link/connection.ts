/**
 * The connection to the hub as such: one socket at a time, tried again until it is stopped. `state` changes only in
 * `#enter`:
 *
 *   idle → connecting → ready → waiting → connecting …    a lost or refused connection is tried again
 *   any → stopped                                         `stop`, a refused token, a forbidden address
 */
import type { Agent } from 'node:http';
import type { Clock, Logger } from '../ports.ts';
import { RECONNECT_MAX_MS, RECONNECT_MIN_MS } from '../protocol/limits.ts';
import type { HubDialect } from './hub-dialect.ts';
import { HubSocket, type SocketEvents } from './hub-socket.ts';
import type { Disconnection, HubLinkState, WorkerIdentity } from './types.ts';

const IDENTIFY_TIMEOUT_MS = 15_000;
const TICK_MS = 1_000;

type Timer = 'deadline' | 'retry' | 'tick';

/** A connection on which the hub said `identified`. */
export interface Line {
  /** Counts up with each connection. */
  readonly connection: number;
  readonly dialect: HubDialect;
  readonly socket: Pick<HubSocket, 'bufferedBytes' | 'send'>;
}

/** No event comes after `stop`, and none of the handlers may throw. */
export interface ConnectionOptions extends SocketEvents {
  identity: WorkerIdentity;
  agent?: Agent | undefined;
  clock: Clock;
  logger: Logger | undefined;
  /** 0 to below 1; for the jitter. */
  random: () => number;
  /** Once a second while the hub is there. */
  onTick: () => void;
  onLost: (disconnection: Disconnection) => void;
}

/** Waits of 1 s to 15 s, doubling, with jitter so that workers do not return in step. `attempt` counts from 0 since the hub last said `identified`. */
export function backoffMs(attempt: number, random: () => number): number {
  const base = Math.min(RECONNECT_MIN_MS * 2 ** Math.min(attempt, 16), RECONNECT_MAX_MS);
  return Math.round(Math.min(Math.max(base * (0.5 + random()), RECONNECT_MIN_MS), RECONNECT_MAX_MS));
}

/** `cooldown active: retry in Ns`: how long the hub wants to be left alone. */
export function cooldownMs(reason: string): number | undefined {
  const seconds = /retry in (\d{1,6})\s*s/.exec(reason)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #state: HubLinkState = 'idle';
  #url: URL | undefined;
  #socket: HubSocket | undefined;
  /** A socket that answers nothing, open until the hub knows another one. */
  #abandoned: HubSocket | undefined;
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

  /** Counts connections that were opened; numbers what was sent on which. */
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
    this.#abandoned?.terminate('');
    this.#abandoned = undefined;
    this.#enter('ready');
    this.#timer('tick', TICK_MS, () => this.#tick());
  }

  /** The line that can be sent on now; undefined without a socket. */
  line(dialect: HubDialect): Line | undefined {
    return this.#socket && { connection: this.#opened, dialect, socket: this.#socket };
  }

  /** Ends the present socket; another one follows. */
  reconnect(cause: string): void {
    this.#socket?.terminate(cause);
  }

  /** Opens another socket in place of the present one, which ends after that: a hub that is there after all takes no task back. */
  replace(cause: string): void {
    if (!this.#socket) return;
    this.#abandoned?.terminate('');
    this.#abandoned = this.#socket;
    this.#abandoned.silence();
    this.#onClose({ code: 1006, reason: cause });
  }

  /** Identifies anew on the present socket, which counts as another connection. */
  identifyAgain(): void {
    if (!this.#socket) return;
    this.#opened += 1;
    this.#enter('connecting');
    this.#awaitIdentified();
    this.#socket.identify();
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  ping(data: string): void {
    this.#socket?.ping(data);
  }

  /** Ends the present socket, politely; another one follows after `forMs`, or at `comeBack`. */
  leave(cause: string, forMs: number): void {
    if (!this.#socket) return;
    this.#attempts = 0;
    this.#awayMs = forMs;
    this.#socket.silence();
    this.#socket.close(cause);
  }

  /** Ends the wait for the next attempt. */
  comeBack(): void {
    this.#awayMs = 0;
    if (this.#state === 'waiting') this.#connect();
  }

  /** Ends it for good; resolves when the socket is closed. Later calls do nothing. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#enter('stopped');
    clearInterval(this.#alive);
    this.#abandoned?.terminate('');
    const socket = this.#socket;
    if (!socket) return;
    const closed = new Promise<void>((resolve) => (this.#closed = resolve));
    socket.silence();
    socket.close();
    await closed;
  }

  /** Identifies on a socket of its own, and leaves; resolves when that one is closed. */
  visit(): Promise<void> {
    const url = this.#url;
    if (!url) return Promise.resolve();
    return new Promise((resolve) => {
      const socket: HubSocket = new HubSocket({
        ...this.#options,
        url,
        onFrame: ({ type }) => {
          if (type === 'identified' || type === 'error') socket.close();
        },
        onOpen: () => undefined,
        onClose: () => resolve(),
      });
    });
  }

  #connect(): void {
    const url = this.#url;
    if (!url) return;
    this.#enter('connecting');
    const socket: HubSocket = new HubSocket({
      ...this.#options,
      url,
      onOpen: () => (this.#opened += 1),
      onClose: (close) => {
        if (this.#socket === socket) this.#onClose(close);
      },
    });
    this.#socket = socket;
    this.#awaitIdentified();
  }

  #awaitIdentified(): void {
    this.#timer('deadline', IDENTIFY_TIMEOUT_MS, () => this.reconnect('the hub did not answer `identify`'));
  }

  #onClose({ code, reason }: { code: number; reason: string }): void {
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
