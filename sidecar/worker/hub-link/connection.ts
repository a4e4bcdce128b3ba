/**
 * Maintains the connection to the hub: one socket at a time, replaced until the connection is stopped. `state` changes only in
 * `#enter`:
 *
 *   idle → connecting → ready → waiting → connecting …    a lost, left or refused socket is replaced
 *   any → stopped                                         `stop`, a refused token, a forbidden address
 */
import type { Agent } from 'node:http';
import type { Clock, Logger } from '../../base/ports.ts';
import { RECONNECT_MAX_MS, RECONNECT_MIN_MS } from '../../base/protocol/limits.ts';
import { runEvery } from '../../base/system/clock.ts';
import { HubSocket, type HubSocketOptions } from './hub-socket.ts';
import type { Disconnection, HubLinkState, WorkerIdentity } from './types.ts';

const IDENTIFY_TIMEOUT_MS = 15_000;
const TICK_MS = 1_000;

/** Options of the connection. No handler is called after `stop`, and no handler may throw. */
export interface ConnectionOptions extends Pick<HubSocketOptions, 'onFrame' | 'onUnreadable'> {
  identity: WorkerIdentity;
  agent?: Agent | undefined;
  clock: Clock;
  logger?: Logger | undefined;
  /** Returns a number from 0 to below 1, for the jitter. */
  random: () => number;
  /** Called once a second while connected. */
  onTick: () => void;
  onLost: (disconnection: Disconnection) => void;
}

/**
 * Returns the wait before an attempt: 1 s to 15 s, doubling, with jitter so that workers do not return in step. `attempt`
 * counts from 0 since the last `identified`.
 */
export function computeBackoffMs(attempt: number, random: () => number): number {
  const base = Math.min(RECONNECT_MIN_MS * 2 ** Math.min(attempt, 16), RECONNECT_MAX_MS);
  return Math.round(Math.min(Math.max(base * (0.5 + random()), RECONNECT_MIN_MS), RECONNECT_MAX_MS));
}

/** Returns the wait that the hub asks for (`cooldown active: retry in Ns`). */
export function parseCooldownMs(reason: string): number | undefined {
  const seconds = /retry in (\d{1,6})\s*s/.exec(reason)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #state: HubLinkState = 'idle';
  #url: URL | undefined;
  #socket: HubSocket | undefined;
  /** An unresponsive socket, which stays open until its successor is identified. */
  #replacedSocket: HubSocket | undefined;
  /** Attempts since the last `identified`. */
  #attempts = 0;
  #cancelTimer: () => void = () => undefined;
  /** Timer that keeps the process alive while it waits for a hub, because timers of `clock` do not. */
  #keepAliveTimer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): HubLinkState {
    return this.#state;
  }

  get socket(): HubSocket | undefined {
    return this.#socket;
  }

  /** Connects, and reconnects whenever the connection is lost. */
  start(url: URL): void {
    this.#url = url;
    this.#keepAliveTimer = setInterval(() => undefined, 2 ** 30);
    this.#connect();
  }

  /** Marks the connection as usable after `identified`. */
  markReady(): void {
    this.#attempts = 0;
    this.#replacedSocket?.terminate('');
    this.#replacedSocket = undefined;
    this.#enter('ready', runEvery(this.#options.clock, TICK_MS, this.#options.onTick));
  }

  /** Identifies again on the present socket. */
  identifyAgain(): void {
    if (!this.#socket) return;
    this.#awaitIdentified();
    this.#socket.identify();
  }

  /** Ends the present socket at once; the connection then opens another one. */
  reconnect(cause: string): void {
    this.#socket?.terminate(cause);
  }

  /** Closes the present socket. Another one is opened after `minMs` to `maxMs`, or at `endWait`. */
  leave(cause: string, minMs: number, maxMs = minMs): void {
    if (!this.#socket) return;
    void this.#socket.close();
    this.#attempts = 0;
    this.#onLost(cause, minMs + Math.round(this.#options.random() * (maxMs - minMs)));
  }

  /** Ends the wait for the next attempt, which begins at once. */
  endWait(): void {
    if (this.#state === 'waiting') this.#connect();
  }

  /** Stops permanently; resolves when the socket is closed. Later calls do nothing. */
  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#enter('stopped');
    clearInterval(this.#keepAliveTimer);
    this.#replacedSocket?.terminate('');
    await socket?.close();
  }

  /** Identifies on a second connection and closes it; resolves when that connection is closed. */
  connectBriefly(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => void briefConnection.stop().then(resolve);
      const briefConnection = new Connection({
        ...this.#options,
        onFrame: end,
        onUnreadable: end,
        onLost: end,
      });
      if (this.#url) briefConnection.start(this.#url);
      else resolve();
    });
  }

  #connect(): void {
    const { onFrame, onUnreadable, identity, agent, clock } = this.#options;
    if (!this.#url) return;
    const whileCurrent =
      <T>(handle: (argument: T) => void) =>
      (argument: T) =>
        void (this.#socket === socket && handle(argument));
    const socket: HubSocket = new HubSocket({
      url: this.#url,
      identity,
      agent,
      clock,
      onFrame: whileCurrent(onFrame),
      onUnreadable: whileCurrent(onUnreadable),
      onSilent: whileCurrent((withinMs) => this.#replace(`no pong from the hub within ${withinMs / 1000} s`)),
      onClose: whileCurrent(({ code, reason }) => {
        const lossReason = `${reason || 'the connection was lost'} (${code})`;
        this.#onLost(lossReason, code === 1008 ? parseCooldownMs(reason) : 0);
      }),
    });
    this.#socket = socket;
    this.#awaitIdentified();
  }

  /** Opens another socket before it closes the present one, so that a hub that still answers takes no task back. */
  #replace(cause: string): void {
    this.#replacedSocket?.terminate('');
    this.#replacedSocket = this.#socket;
    this.#replacedSocket?.stopPings();
    this.#onLost(cause);
  }

  #awaitIdentified(): void {
    const onTimeout = () => this.reconnect('the hub did not answer `identify`');
    this.#enter('connecting', this.#options.clock.schedule(IDENTIFY_TIMEOUT_MS, onTimeout));
  }

  #onLost(reason: string, waitMs = 0): void {
    const { clock, random, logger, onLost } = this.#options;
    this.#socket = undefined;
    const retryInMs = Math.max(computeBackoffMs(this.#attempts, random), waitMs);
    this.#attempts += 1;
    this.#enter(
      'waiting',
      clock.schedule(retryInMs, () => this.#connect()),
    );
    logger?.warn({ reason, retry_in_ms: retryInMs }, 'No connection to the hub');
    onLost({ reason, retryInMs });
  }

  #enter(state: HubLinkState, cancelTimer: () => void = () => undefined): void {
    this.#state = state;
    this.#cancelTimer();
    this.#cancelTimer = cancelTimer;
  }
}
