/**
 * One worker's connection: reads frames one after the other, answers, and closes as the protocol requires.
 * frame-handlers.ts has the meaning of frames.
 */
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock, Logger } from '../../base/ports.ts';
import { parseWorkerFrame } from '../../base/protocol/frames.ts';
import type { FrameFailure, HubFrameInput, WorkerFrame } from '../../base/protocol/frames.ts';
import { PROTOCOL_VERSION } from '../../base/protocol/limits.ts';
import type { AssignedTask } from '../stream/event-log.ts';
import type { WorkerCondition } from '../queue/views.ts';
import { TokenBucket } from './token-bucket.ts';

/** Silence, in milliseconds, after which a socket is closed with 1002. */
const SILENCE_MS = 60_000;
/** Number of unreadable frames within `BAD_FRAMES_WINDOW_MS` that closes the socket with 1008. */
const MAX_BAD_FRAMES = 10;
const BAD_FRAMES_WINDOW_MS = 60_000;
/** How long a connection may take to identify before it is closed with 1008. */
export const IDENTIFY_TIMEOUT_MS = 15_000;
/** Maximum size of a frame before the worker is identified; a larger one closes the connection with 1008. */
const MAX_IDENTIFY_BYTES = 64 * 1024;
/** Maximum number of frames that wait to be handled; a worker that exceeds it is faulty. */
const MAX_WAITING_FRAMES = 5_000;
/** Maximum size of the frames that wait to be handled; a worker that exceeds it is faulty. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Close reason of a replaced connection; a close frame has space for 123 bytes. */
const REPLACED_REASON = 'another program connected with this agent id; cooldown active: retry in 60s';
/** Unsent bytes after which the worker counts as gone. */
const MAX_SEND_BUFFER_BYTES = 32 * 1024 * 1024;

/** A worker's description of itself in `identify`. */
export interface WorkerProfile {
  workerId: string;
  name: string;
  labels: string[];
  models: string[];
  capacity: number;
  version?: string;
  sandbox?: string;
  ollamaUrl?: string;
  /** Whether the worker supports this hub's protocol extensions: plain workers do not report a capacity. */
  supportsExtensions: boolean;
}

export interface SessionOptions {
  socket: WebSocket;
  clock: Clock;
  logger: Logger;
  framesPerMinute: number;
  /** Handles a frame. Rejects only for a failure inside the hub, after which the frame counts as not handled. */
  onFrame: (session: WorkerSession, frame: WorkerFrame) => Promise<void>;
  /** Reports a refused frame; `reason` is one of a fixed set. Must not throw. */
  onRefused?: (reason: string) => void;
  onGone: (session: WorkerSession) => Promise<void>;
}

export class WorkerSession {
  readonly sessionId = randomUUID();
  /** Assignments of this connection, by task id. Progress of other tasks is ignored. */
  readonly tasks = new Map<string, AssignedTask>();
  profile: WorkerProfile | undefined;
  draining = false;
  lastAssignedAtMs = 0;
  /** Reported reason for taking no new tasks. */
  notReady: string | undefined;
  /** Reported reason for taking no tasks without a named model. */
  needsModel: string | undefined;
  /** Reported problem that does not stop the worker from taking tasks. */
  notice: string | undefined;
  lastCall: WorkerCondition['lastCall'];
  lastError: WorkerCondition['lastError'];
  /** Stops watching the token of this connection. */
  unwatchToken: () => void = () => undefined;
  /** Time until which the worker gets no tasks, after `worker_busy`. */
  busyUntilMs = 0;
  readonly #options: SessionOptions;
  readonly #bucket: TokenBucket;
  readonly #badFramesAtMs: number[] = [];
  #lastFrame: Promise<void> = Promise.resolve();
  #waitingFrames = 0;
  #waitingBytes = 0;
  #lastReceivedMs: number;
  #cancelSilence: () => void = () => undefined;
  readonly #cancelIdentify: () => void;
  #isClosed = false;
  #isDismissed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket(options.framesPerMinute, options.clock);
    this.#lastReceivedMs = options.clock.monotonicMs();
    this.#watchSilence(SILENCE_MS);
    this.#cancelIdentify = options.clock.schedule(IDENTIFY_TIMEOUT_MS, () => {
      if (!this.profile) this.close(1008, 'no identify frame was received within 15 s');
    });
    const { socket } = options;
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('close', () => this.#close());
    socket.on('error', (error) => options.logger.debug({ err: error }, 'worker socket failed'));
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  /** Sends a frame; returns false if the connection is gone. Never throws. */
  send(frame: HubFrameInput): boolean {
    const { socket, logger } = this.#options;
    if (!this.isOpen) return false;
    if (socket.bufferedAmount > MAX_SEND_BUFFER_BYTES) {
      logger.warn(
        { agentId: this.profile?.workerId },
        'the worker does not read its messages; connection closed',
      );
      this.terminate();
      return false;
    }
    socket.send(JSON.stringify({ ...frame, protocol_version: PROTOCOL_VERSION }));
    return true;
  }

  sendError(error: string, fields: { task_id?: string } = {}): void {
    // Count by code: the part after a colon is detail.
    this.#countRefusal(error.split(':', 1)[0] ?? error);
    this.send({ type: 'error', error, ...fields });
  }

  close(code: number, reason: string): void {
    this.#options.socket.close(code, reason);
  }

  terminate(): void {
    this.#options.socket.terminate();
    this.#close();
  }

  /**
   * Closes this connection for a newer connection of the same worker and drops its waiting frames. A worker that
   * receives the close reason is a second program with that name; it waits, so that the two do not replace each other.
   */
  replace(): Promise<void> {
    return this.#dismiss(REPLACED_REASON);
  }

  /** Closes the connection because its token was revoked or has expired; further frames of the worker are ignored. */
  refuseToken(): void {
    this.sendError('invalid_token');
    void this.#dismiss('the token was revoked or has expired');
  }

  #dismiss(reason: string): Promise<void> {
    this.#isDismissed = true;
    this.close(1008, reason);
    this.terminate();
    return this.#lastFrame;
  }

  /** Resolves when all frames received before the call are handled. */
  waitForFrames(): Promise<void> {
    return this.#lastFrame;
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#lastReceivedMs = this.#options.clock.monotonicMs();
    if (isBinary) {
      this.#countRefusal('binary');
      this.close(1011, 'binary frames are not supported; send JSON text');
      return;
    }
    if (!this.profile && this.#waitingFrames === 0 && data.length > MAX_IDENTIFY_BYTES) {
      this.#countRefusal('too_large');
      this.close(1008, 'the first frame must be an identify frame of at most 64 KiB');
      return;
    }
    this.#waitingFrames += 1;
    this.#waitingBytes += data.length;
    if (this.#waitingFrames > MAX_WAITING_FRAMES || this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#countRefusal('too_many');
      this.close(1008, 'too many frames at once');
      return;
    }
    const text = data.toString('utf8');
    this.#lastFrame = this.#lastFrame
      .then(() => this.#handleText(text))
      .finally(() => {
        this.#waitingFrames -= 1;
        this.#waitingBytes -= data.length;
      });
  }

  /** Handles one frame. Never rejects: a failure closes this connection, not the hub. */
  async #handleText(text: string): Promise<void> {
    if (this.#isDismissed) return;
    const outcome = parseWorkerFrame(text);
    if (!outcome.ok) {
      this.#refuse(outcome);
      return;
    }
    if (this.profile && isMetered(outcome.frame) && !this.#isWithinRate()) return;
    try {
      await this.#options.onFrame(this, outcome.frame);
    } catch (error) {
      this.#options.logger.error({ err: error, type: outcome.frame.type }, 'a frame could not be handled');
      this.close(1011, 'internal error; reconnect and send the frame again');
    }
  }

  #countRefusal(reason: string): void {
    this.#options.onRefused?.(reason);
  }

  #isWithinRate(): boolean {
    const answer = this.#bucket.take();
    if (!answer.allowed) {
      this.#countRefusal('rate_limited');
      this.send({ type: 'rate_limited', retry_after_ms: answer.retryAfterMs, tier: 'normal' });
      return false;
    }
    if (answer.warning) this.send({ type: 'rate_limit_warning', tier: 'normal', ...answer.warning });
    return true;
  }

  #refuse(failure: FrameFailure): void {
    if (failure.code === 'unknown_type') {
      this.#countRefusal('unknown_type');
      this.#options.logger.debug({ type: failure.type }, 'a frame of an unknown type was ignored');
      return;
    }
    if (failure.code === 'not_json') this.sendError('invalid_json');
    else {
      this.#countRefusal('validation_failed');
      this.send({
        type: 'error',
        error: 'validation_failed',
        message_type: failure.type,
        errors: failure.issues ?? [{ field: 'frame', detail: failure.reason }],
      });
    }
    const now = this.#options.clock.monotonicMs();
    const recent = this.#badFramesAtMs.filter((at) => now - at < BAD_FRAMES_WINDOW_MS);
    this.#badFramesAtMs.splice(0, Infinity, ...recent, now);
    if (this.#badFramesAtMs.length >= MAX_BAD_FRAMES) this.close(1008, 'too many invalid frames');
  }

  #watchSilence(delayMs: number): void {
    this.#cancelSilence = this.#options.clock.schedule(delayMs, () => {
      const silentMs = this.#options.clock.monotonicMs() - this.#lastReceivedMs;
      if (silentMs >= SILENCE_MS) {
        this.close(1002, 'no frame for 60 s');
        // A peer that is gone does not answer the closing handshake.
        this.#cancelSilence = this.#options.clock.schedule(5_000, () => this.terminate());
      } else this.#watchSilence(SILENCE_MS - silentMs);
    });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelSilence();
    this.#cancelIdentify();
    // Frames that were received before the end are handled first, so that no result is lost with its connection.
    this.#lastFrame = this.#lastFrame.then(() => this.#options.onGone(this));
  }
}

/** Returns whether a frame counts against the worker's limit; same frames as on the public hub. */
function isMetered({ type }: WorkerFrame): boolean {
  return type !== 'ping' && type !== 'identify';
}
