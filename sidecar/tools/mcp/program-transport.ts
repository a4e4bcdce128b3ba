/**
 * The connection to an MCP server that runs as a program in the task's environment: one JSON message per line over
 * stdin and stdout. A program that sends too much is stopped; `ending` then gives the reason.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ExecResult, RunningProgram } from '../../ports.ts';
import { errorMessage } from '../../values/errors.ts';
import { parseJson } from '../../values/json.ts';

export const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;
/** Limits of the output between two requests of the client. */
const MAX_UNASKED_BYTES = 2 * MAX_MESSAGE_BYTES;
const MAX_UNASKED_MESSAGES = 10_000;
const MAX_SHOWN_CHARS = 300;
const NEWLINE = 0x0a;

/** Starts the program and passes its stdout to the listener. */
type StartProgram = (onStdout: (chunk: Buffer) => void) => Promise<RunningProgram>;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the program ended, as the end of a sentence about it; undefined if it was closed here. */
  ending: string | undefined;
  readonly #start: StartProgram;
  #program: RunningProgram | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #unaskedBytes = 0;
  #unaskedMessages = 0;
  #isOver = false;

  constructor(start: StartProgram) {
    this.#start = start;
  }

  /** Rejects if the program fails to start at once. */
  async start(): Promise<void> {
    const program = await this.#start((chunk) => this.#receive(chunk));
    this.#program = program;
    void program.ended.then(
      (result) => this.#end(endingOf(result)),
      (error: unknown) => this.#end(`could not be started: ${errorMessage(error)}`),
    );
    if (this.#isOver) await program.stop();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) {
      this.#unaskedBytes = 0;
      this.#unaskedMessages = 0;
    }
    this.#program?.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  /** Resolves when the program has ended completely. */
  async close(): Promise<void> {
    this.#end();
    await this.#program?.stop();
  }

  #end(ending?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.ending = ending;
    this.#line = [];
    void this.#program?.stop();
    this.onclose?.();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#unaskedBytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#line).toString('utf8');
      this.#line = [];
      this.#lineBytes = 0;
      this.#read(line);
      if (this.#isOver) return;
    }
    this.#keep(chunk.subarray(from));
    if (this.#lineBytes > MAX_MESSAGE_BYTES)
      this.#end(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 ** 2} MiB and was stopped`);
    else if (this.#unaskedBytes > MAX_UNASKED_BYTES || this.#unaskedMessages > MAX_UNASKED_MESSAGES)
      this.#end('sent more than anybody asked for and was stopped');
  }

  #keep(part: Buffer): void {
    this.#lineBytes += part.length;
    if (part.length > 0 && this.#lineBytes <= MAX_MESSAGE_BYTES) this.#line.push(part);
  }

  #read(line: string): void {
    this.#unaskedMessages += 1;
    if (line.trim() === '') return;
    const message = JSONRPCMessageSchema.safeParse(parseJson(line));
    if (message.success) this.onmessage?.(message.data);
    else this.onerror?.(new Error(`it printed what is no message: ${line.slice(0, MAX_SHOWN_CHARS)}`));
  }
}

function endingOf({ exitCode, signal, stderr, aborted }: ExecResult): string {
  if (aborted) return 'was stopped';
  const how =
    exitCode === null ? `was killed by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`;
  const words = stderr.trim().slice(-MAX_SHOWN_CHARS);
  return words === '' ? how : `${how}: ${words}`;
}
