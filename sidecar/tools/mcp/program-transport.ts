/**
 * Connects to an MCP server that runs as a program in the task's environment, with the SDK's framing. The SDK's own stdio transport would
 * start the program outside of the sandbox. A program that sends too much is stopped; `exitReason` then gives the reason.
 */
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ExecResult, RunningProgram } from '../../base/ports.ts';
import { errorMessage } from '../../base/values/errors.ts';

export const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;
/** Maximum number of bytes that the program may send between two requests of the client. */
const MAX_UNREQUESTED_BYTES = 2 * MAX_MESSAGE_BYTES;
/** Maximum number of messages that the program may send between two requests of the client. */
const MAX_UNREQUESTED_MESSAGES = 10_000;
const MAX_SHOWN_CHARS = 300;

/** Starts the program and calls `onStdout` with its output. */
type StartProgram = (onStdout: (chunk: Buffer) => void) => Promise<RunningProgram>;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Reason why the program ended, as the end of a sentence about it; undefined if this side closed it. */
  exitReason: string | undefined;
  readonly #start: StartProgram;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  #program: RunningProgram | undefined;
  #unrequestedBytes = 0;
  #unrequestedMessages = 0;
  #isClosed = false;

  constructor(start: StartProgram) {
    this.#start = start;
  }

  /** Starts the program. Rejects if it fails at once. */
  async start(): Promise<void> {
    const program = await this.#start((chunk) => this.#receive(chunk));
    this.#program = program;
    void program.ended.then(
      (result) => this.#close(exitReasonOf(result)),
      (error: unknown) => this.#close(`could not be started: ${errorMessage(error)}`),
    );
    if (this.#isClosed) await program.stop();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) {
      this.#unrequestedBytes = 0;
      this.#unrequestedMessages = 0;
    }
    this.#program?.write(serializeMessage(message));
    return Promise.resolve();
  }

  /** Stops the program. Resolves when it has ended completely. */
  async close(): Promise<void> {
    this.#close();
    await this.#program?.stop();
  }

  #close(ending?: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.exitReason = ending;
    this.#buffer.clear();
    void this.#program?.stop();
    this.onclose?.();
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#unrequestedBytes += chunk.length;
    try {
      this.#buffer.append(chunk);
    } catch {
      this.#close(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 ** 2} MiB and was stopped`);
    }
    while (!this.#isClosed && this.#readMessage()) this.#unrequestedMessages += 1;
    if (
      this.#unrequestedBytes > MAX_UNREQUESTED_BYTES ||
      this.#unrequestedMessages > MAX_UNREQUESTED_MESSAGES
    )
      this.#close('sent too much data without a request and was stopped');
  }

  /** Passes the next line to the listener. Returns whether there was one. */
  #readMessage(): boolean {
    try {
      const message = this.#buffer.readMessage();
      if (message) this.onmessage?.(message);
      return message !== null;
    } catch (error) {
      this.onerror?.(
        new Error(
          `it printed a line that is not a message: ${errorMessage(error).slice(0, MAX_SHOWN_CHARS)}`,
        ),
      );
      return true;
    }
  }
}

function exitReasonOf({ exitCode, signal, stderr, aborted }: ExecResult): string {
  if (aborted) return 'was stopped';
  const status =
    exitCode === null ? `was killed by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`;
  const stderrEnd = stderr.trim().slice(-MAX_SHOWN_CHARS);
  return stderrEnd === '' ? status : `${status}: ${stderrEnd}`;
}
