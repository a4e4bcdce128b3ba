/**
 * One WebSocket to the hub, from connecting to its close, which is reported exactly once. Keeps the heartbeat:
 * a ping every 30 s, and a hub that does not answer within 10 s is left.
 */
import type { Agent } from 'node:http';
import { WebSocket } from 'ws';
import { withoutCredentials } from '../addresses/without-credentials.ts';
import type { Clock } from '../ports.ts';
import { parseHubFrame, type FrameFailure } from '../protocol/frames.ts';
import type { HubFrame } from '../protocol/hub-frames.ts';
import { encodeWorkerFrame } from '../protocol/encode-frame.ts';
import { MAX_FRAME_IN_BYTES, PING_INTERVAL_MS, PONG_TIMEOUT_MS } from '../protocol/limits.ts';
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';
import type { WorkerIdentity } from './types.ts';

/** A hub that cannot be reached at all is given up after this long; the attempt, not the hub. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** How long a polite close may take. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface SocketEvents {
  onFrame: (frame: HubFrame) => void;
  onUnreadable: (failure: FrameFailure) => void;
  /** The answer to `ping`, with its data. */
  onPong: (data: string) => void;
}

export interface HubSocketOptions extends SocketEvents {
  url: URL;
  identity: WorkerIdentity;
  agent?: Agent | undefined;
  clock: Clock;
  onOpen: () => void;
  onClose: (close: { code: number; reason: string }) => void;
}

const MAX_LABELS = 256;
const MAX_MODELS = 1024;
const MAX_NAME_CHARS = 256;
const MAX_VERSION_CHARS = 64;
/** The public hub's path; an address without one gets it. */
const DEFAULT_PATH = '/ws';

export class HubSocket {
  readonly #options: HubSocketOptions;
  readonly #socket: WebSocket;
  #cancelPing: () => void = () => undefined;
  #cancelPong: () => void = () => undefined;
  #cause = '';
  /** Nothing is reported any more but the close. */
  #isSilent = false;

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
    this.#socket.on('open', () => {
      this.#schedulePing();
      options.onOpen();
      this.identify();
    });
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => this.#read(data, isBinary));
    this.#socket.on('pong', (data) => {
      if (!this.#isSilent) options.onPong(data.toString());
    });
    this.#socket.on('error', (error) => {
      this.#cause ||= error.message;
    });
    this.#socket.on('close', (code, reason) => this.#ended(code, reason.toString()));
  }

  /** Bytes that wait for the network. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** False when the socket is not open; the frame is not sent then. */
  send(text: string): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /** A ping of the WebSocket itself. */
  ping(data: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping(data);
  }

  identify(): void {
    this.send(encodeWorkerFrame(identifyFrame(this.#options.identity)).text);
  }

  /** Reports nothing more but the close, and sends no more pings. */
  silence(): void {
    this.#isSilent = true;
    this.#cancelPing();
    this.#cancelPong();
  }

  /** Ends the connection at once; `cause` is what `onClose` is given. */
  terminate(cause: string): void {
    this.#cause ||= cause;
    this.#socket.terminate();
  }

  /** Ends it politely, or at once when the hub does not answer. */
  close(cause = ''): void {
    this.#cause ||= cause;
    this.#socket.close(1000);
    const cancel = this.#options.clock.schedule(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
    this.#socket.once('close', cancel);
  }

  #read(data: Buffer, isBinary: boolean): void {
    if (this.#isSilent) return;
    if (isBinary) {
      this.#options.onUnreadable({ ok: false, code: 'not_json', reason: 'a binary frame' });
      return;
    }
    const read = parseHubFrame(data.toString());
    if (!read.ok) this.#options.onUnreadable(read);
    else if (read.frame.type === 'pong') this.#cancelPong();
    else this.#options.onFrame(read.frame);
  }

  #schedulePing(): void {
    const { clock } = this.#options;
    this.#cancelPing = clock.schedule(PING_INTERVAL_MS, () => {
      this.send(encodeWorkerFrame({ type: 'ping' }).text);
      this.#cancelPong();
      this.#cancelPong = clock.schedule(PONG_TIMEOUT_MS, () => this.terminate('no pong within 10 s'));
      this.#schedulePing();
    });
  }

  #ended(code: number, reason: string): void {
    this.silence();
    this.#options.onClose({ code, reason: reason || this.#cause });
  }
}

/**
 * The first frame on a connection. Hubs ignore the fields that they do not know; what is longer than they take is cut, since
 * a refused `identify` would keep the worker out.
 */
function identifyFrame(identity: WorkerIdentity): WorkerFrameInput {
  const { agentId, token, name, capabilities = [], capacity, models, version, sandbox, ollamaUrl } = identity;
  const names = (list: readonly string[], max: number) =>
    list.filter((one) => one.length <= MAX_NAME_CHARS).slice(0, max);
  return {
    type: 'identify',
    agent_id: agentId,
    token,
    name: name ?? agentId,
    status: 'idle',
    capabilities: names(capabilities, MAX_LABELS),
    client_type: 'sidecar',
    ...(ollamaUrl !== undefined && { ollama_url: withoutCredentials(ollamaUrl) }),
    ...(capacity !== undefined && { capacity }),
    ...(models && { models: names(models, MAX_MODELS) }),
    ...(version !== undefined && { version: version.slice(0, MAX_VERSION_CHARS) }),
    ...(sandbox !== undefined && { sandbox: sandbox.slice(0, MAX_NAME_CHARS) }),
  };
}
