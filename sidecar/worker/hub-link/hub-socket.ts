/** One WebSocket to the hub, from connecting to its close, which is reported exactly once. */
import type { Agent } from 'node:http';
import { WebSocket } from 'ws';
import { removeCredentials } from '../../base/addresses/credentials.ts';
import type { Clock } from '../../base/ports.ts';
import { encodeWorkerFrame } from '../../base/protocol/encode-frame.ts';
import { parseHubFrame, type FrameFailure } from '../../base/protocol/frames.ts';
import type { HubFrame } from '../../base/protocol/hub-frames.ts';
import { MAX_FRAME_IN_BYTES } from '../../base/protocol/limits.ts';
import type { WorkerFrameInput } from '../../base/protocol/worker-frames.ts';
import { runEvery } from '../../base/system/clock.ts';
import type { Heartbeat } from './hub-adapter.ts';
import type { WorkerIdentity } from './types.ts';

/** Timeout of one attempt to reach the hub. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Limit of a closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface HubSocketOptions {
  url: URL;
  identity: WorkerIdentity;
  agent?: Agent | undefined;
  clock: Clock;
  onFrame: (frame: HubFrame) => void;
  onUnreadable: (failure: FrameFailure) => void;
  /** Called if the hub does not answer a ping in time. */
  onSilent: (withinMs: number) => void;
  onClose: (close: { code: number; reason: string }) => void;
}

const MAX_SANDBOX_CHARS = 256;
/** Path of the public hub's socket, for an address without a path. */
const DEFAULT_PATH = '/ws';

export class HubSocket {
  readonly #options: HubSocketOptions;
  readonly #socket: WebSocket;
  #cancelPing: () => void = () => undefined;
  #cancelPong: (() => void) | undefined;
  #cause = '';

  constructor(options: HubSocketOptions) {
    this.#options = options;
    const address = new URL(options.url);
    if (address.pathname === '/') address.pathname = DEFAULT_PATH;
    this.#socket = new WebSocket(address, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_FRAME_IN_BYTES,
      perMessageDeflate: false,
      agent: options.agent,
    });
    this.#socket.on('open', () => this.identify());
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => this.#read(data, isBinary));
    this.#socket.on('error', (error) => {
      this.#cause ||= error.message;
    });
    this.#socket.on('close', (code, reason) => {
      this.stopPings();
      options.onClose({ code, reason: reason.toString() || this.#cause });
    });
  }

  /** Number of bytes that wait for the network. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Sends a text; does nothing if the socket is not open. */
  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  identify(): void {
    this.send(encodeWorkerFrame(buildIdentifyFrame(this.#options.identity)).text);
  }

  /** Pings the hub from now on. */
  startPings({ intervalMs, timeoutMs }: Heartbeat): void {
    const { clock, onSilent } = this.#options;
    this.stopPings();
    this.#cancelPing = runEvery(clock, intervalMs, () => {
      this.send(encodeWorkerFrame({ type: 'ping' }).text);
      this.#cancelPong ??= clock.schedule(timeoutMs, () => onSilent(timeoutMs));
    });
  }

  stopPings(): void {
    this.#cancelPing();
    this.#cancelPongTimeout();
  }

  /** Ends the connection at once; `onClose` is called with `cause` as the reason. */
  terminate(cause: string): void {
    this.#cause ||= cause;
    this.#socket.terminate();
  }

  /**
   * Closes the connection; ends it after a timeout if the hub does not answer. Resolves when the connection is closed.
   */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.schedule(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
      this.#socket.once('close', () => {
        cancel();
        resolve();
      });
      this.#socket.close(1000);
    });
  }

  #cancelPongTimeout(): void {
    this.#cancelPong?.();
    this.#cancelPong = undefined;
  }

  #read(data: Buffer, isBinary: boolean): void {
    const parsedFrame = isBinary
      ? { ok: false as const, code: 'not_json' as const, reason: 'a binary frame' }
      : parseHubFrame(data.toString());
    if (!parsedFrame.ok) this.#options.onUnreadable(parsedFrame);
    else if (parsedFrame.frame.type === 'pong') this.#cancelPongTimeout();
    else this.#options.onFrame(parsedFrame.frame);
  }
}

/** Returns the first frame of a connection. Hubs ignore unknown fields. */
function buildIdentifyFrame(identity: WorkerIdentity): WorkerFrameInput {
  const {
    workerId,
    token,
    name,
    capabilities = [],
    capacity,
    models,
    version,
    sandbox,
    ollamaUrl,
  } = identity;
  return {
    type: 'identify',
    agent_id: workerId,
    token,
    name: name ?? workerId,
    status: 'idle',
    capabilities: [...capabilities],
    client_type: 'sidecar',
    ollama_url: ollamaUrl === undefined ? undefined : removeCredentials(ollamaUrl),
    capacity,
    models: models && [...models],
    version,
    sandbox: sandbox?.slice(0, MAX_SANDBOX_CHARS),
  };
}
