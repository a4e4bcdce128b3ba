/**
 * A session with one MCP server: opens it, lists its tools, calls them, closes it. Every wait has a timeout. Every failure is an
 * `McpFailure` with a message about the server. Results are not validated by the server's schemas, because that would run the server's
 * patterns in this process.
 */
import * as z from 'zod';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { ExecutionEnvironment } from '../../base/ports.ts';
import { runWithTimeLimit, systemClock, waitAtMost } from '../../base/system/clock.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { VERSION } from '../../base/system/version.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { isRecord } from '../../base/values/json.ts';
import { MAX_MESSAGE_BYTES, ProgramTransport } from './program-transport.ts';
import { type ListedTool, McpFailure, type McpServer } from './types.ts';
import type { ToolOutput } from '../types.ts';

/** Maximum duration of the start. It is long, since launchers such as npx download the server first; `timeoutMs` may shorten it. */
const START_TIMEOUT_MS = 30_000;
/** Timeout of the ping to a server that let a call time out. */
const PING_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Time beyond its timeout after which a call ends even if the SDK does not end it. */
const LIMIT_MARGIN_MS = 1_000;
const TIMEOUT_CODE: number = ErrorCode.RequestTimeout;
const MAX_PAGES = 20;
const MAX_TOOLS = 500;
const MAX_NAME_CHARS = 128;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SHOWN_CHARS = 500;

/** Timeout and signal of one request. */
interface RequestLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

export class McpConnection {
  readonly #server: McpServer;
  readonly #client: Client;
  readonly #transport: Transport;
  #lastError: string | undefined;
  #isOpen = true;

  private constructor(server: McpServer, transport: Transport) {
    this.#server = server;
    this.#transport = transport;
    this.#client = new Client({ name: 'ollama-sidecar', version: VERSION });
    Object.assign(this.#client, {
      onerror: (error: Error) => {
        this.#lastError = cutMessage(error.message);
      },
      onclose: () => {
        this.#isOpen = false;
      },
    });
  }

  /** Connects to the server; a server that is a program is started in `env`. Rejects with `McpFailure`. */
  static async open(
    server: McpServer,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const connection = new McpConnection(server, createTransport(server, env));
    const limits = { timeoutMs: Math.min(START_TIMEOUT_MS, server.timeoutMs), signal };
    try {
      await connection.#request(limits, 'complete the handshake', (options) =>
        connection.#client.connect(connection.#transport, options),
      );
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Returns the server's tools, up to a maximum number. Rejects with `McpFailure`. */
  async listTools(signal: AbortSignal): Promise<ListedTool[]> {
    const limits = { timeoutMs: Math.min(START_TIMEOUT_MS, this.#server.timeoutMs), signal };
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const list = await this.#request(limits, 'list its tools', (options) =>
        this.#client.request({ method: 'tools/list', params }, toolListSchema, options),
      );
      const before = tools.length;
      tools.push(...list.tools.map((tool, index) => readTool(tool, before + index + 1)));
      cursor = list.nextCursor ?? undefined;
      if (cursor === undefined) break;
    }
    return tools.slice(0, MAX_TOOLS);
  }

  /**
   * Calls a tool. If the call times out and the server does not answer a ping, the connection is closed permanently. Rejects with
   * `McpFailure`.
   */
  async call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput> {
    if (!this.#isOpen)
      throw new McpFailure(
        `The MCP server ${this.#server.name} ended earlier in this task and is not started again; continue without its tools`,
      );
    const params = { name, arguments: args };
    const limits = { timeoutMs: this.#server.timeoutMs, signal };
    const result = await this.#request(limits, `answer ${name}`, (options) =>
      this.#client.request({ method: 'tools/call', params }, CallToolResultSchema, options),
    );
    return outputOf(result);
  }

  /** Closes the session and stops the server's program, within a time limit. Never rejects. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const terminateSession = async () => {
      if (this.#transport instanceof StreamableHTTPClientTransport) await this.#transport.terminateSession();
    };
    const waitBriefly = (work: Promise<unknown>) =>
      waitAtMost(systemClock, Promise.allSettled([work]), CLOSE_TIMEOUT_MS);
    await waitBriefly(terminateSession());
    // The client closes the transport only if it is connected.
    await waitBriefly(Promise.allSettled([this.#client.close(), this.#transport.close()]));
  }

  async #request<T>(
    { timeoutMs, signal }: RequestLimits,
    action: string,
    send: (options: { timeout: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    this.#lastError = undefined;
    // The task's signal outlives all calls, and the SDK never removes its listener from a signal. Therefore each call has its own signal.
    // The SDK's timeout does not cover the notification after a handshake, so the whole call has a limit, too.
    const call = (callSignal: AbortSignal): Promise<T> =>
      new Promise((resolve, reject) => {
        send({ timeout: timeoutMs, signal: callSignal }).then(resolve, reject);
        onAbort(callSignal, () => reject(callSignal.reason));
      });
    try {
      return await runWithTimeLimit(call, timeoutMs + LIMIT_MARGIN_MS, signal);
    } catch (error) {
      throw new McpFailure(
        `The MCP server ${this.#server.name} ${await this.#explain(error, { timeoutMs, signal }, action)}`,
      );
    }
  }

  async #explain(error: unknown, { timeoutMs, signal }: RequestLimits, action: string): Promise<string> {
    if (signal.aborted) return 'did not answer before the task was stopped';
    const { exitReason } = this.#transport as Partial<ProgramTransport>;
    if (exitReason !== undefined) return exitReason;
    if (isTimeout(error)) {
      const lastError = this.#lastError === undefined ? '' : ` (${this.#lastError})`;
      const state = (await this.#pingOrClose())
        ? 'the server still runs, so its tools can be called again'
        : 'it was stopped, and its tools fail for the rest of this task';
      return `did not ${action} within ${timeoutMs} ms${lastError}; ${state}`;
    }
    if (isIssueList(error)) return `sent an invalid answer: ${describeFirstIssue(error)}`;
    return `failed: ${cutMessage(messageWithCauseOf(error))}`;
  }

  /** Sends a ping, and closes the connection if the server does not answer. */
  async #pingOrClose(): Promise<boolean> {
    try {
      await this.#client.ping({ timeout: PING_TIMEOUT_MS });
      return true;
    } catch {
      await this.close();
      return false;
    }
  }
}

const isTimeout = (error: unknown): boolean =>
  (error instanceof McpError && error.code === TIMEOUT_CODE) ||
  (error instanceof DOMException && error.name === 'TimeoutError');

/** Schema of a tool list. Each tool is validated later and separately, so that an invalid tool does not exclude the others. */
const toolListSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Reads the `number`th tool of a list. The size of a tool is limited, because lists are retained until the worker ends. */
function readTool(listed: unknown, number: number): ListedTool {
  const { name, description, inputSchema } = isRecord(listed) ? listed : {};
  const isNamed = typeof name === 'string' && name !== '';
  const shownName = isNamed ? name.slice(0, MAX_NAME_CHARS) : `(number ${number})`;
  const buildUnusableTool = (defect: string): ListedTool => ({ name: shownName, inputSchema: {}, defect });
  if (!isNamed) return buildUnusableTool('it has no name');
  if (name.length > MAX_NAME_CHARS)
    return buildUnusableTool(`its name is longer than ${MAX_NAME_CHARS} characters`);
  if (!isRecord(inputSchema)) return buildUnusableTool('its inputSchema is not an object');
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS)
    return buildUnusableTool(`its inputSchema is longer than ${MAX_SCHEMA_CHARS} characters`);
  const text = typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION_CHARS) : undefined;
  return { name, description: text, inputSchema };
}

function createTransport(server: McpServer, env: ExecutionEnvironment): Transport {
  const { name, command, args, env: variables, network, url, headers } = server;
  if (url !== undefined) {
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: createBoundedFetch(MAX_MESSAGE_BYTES),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
  }
  return new ProgramTransport((onStdout) => {
    if (!env.startProgram)
      throw new McpFailure(`The MCP server ${name} cannot run here: this environment runs no programs`);
    return env.startProgram([command ?? '', ...args], { onStdout, variables, network });
  });
}

interface IssueList {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

const isIssueList = (error: unknown): error is IssueList =>
  typeof error === 'object' && error !== null && 'issues' in error && Array.isArray(error.issues);

function describeFirstIssue({ issues: [issue] }: IssueList): string {
  if (!issue) return 'it cannot be read';
  return cutMessage(`${issue.path.map(String).join('.') || 'the answer'}: ${issue.message}`);
}

/** Returns the error's message, followed by that of its cause, in which `fetch` reports the reason of a failure. */
function messageWithCauseOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const message = errorMessage(error);
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

const cutMessage = (text: string): string => text.slice(0, MAX_SHOWN_CHARS);

/** Type of Node's `fetch`. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` whose responses fail during reading if they exceed `maxBytes`, because the SDK reads them whole. */
function createBoundedFetch(maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (!response.body || response.status < 200 || response.status >= 300) return response;
    let remainingBytes = maxBytes;
    const boundedBody = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          remainingBytes -= chunk.byteLength;
          if (remainingBytes >= 0) controller.enqueue(chunk);
          else controller.error(new Error(`sent more than ${maxBytes / 1024 ** 2} MiB in one answer`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(boundedBody, { status, statusText, headers });
  };
}

const MAX_PARTS = 1_000;

/** Formats a result for the model. Parts that are not text are named but left out. */
export function outputOf(result: CallToolResult): ToolOutput {
  const parts = result.content.slice(0, MAX_PARTS).map(formatPart);
  const omittedCount = result.content.length - parts.length;
  if (omittedCount > 0) parts.push(`[${omittedCount} more parts are omitted]`);
  if (parts.length === 0 && result.structuredContent !== undefined)
    parts.push(JSON.stringify(result.structuredContent));
  const text = parts.join('\n');
  return {
    text: text === '' ? '(the tool returned no text)' : text,
    isError: result.isError === true,
  };
}

function formatPart(part: CallToolResult['content'][number]): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'image' || part.type === 'audio')
    return formatOmittedPart(part.type, part.mimeType, part.data);
  if (part.type === 'resource_link') return `[resource ${cutName(part.name)}: ${cutName(part.uri)}]`;
  const { resource } = part;
  if ('text' in resource) return `[${cutName(resource.uri)}]\n${resource.text}`;
  return formatOmittedPart(`file ${cutName(resource.uri)}`, resource.mimeType, resource.blob);
}

const formatOmittedPart = (kind: string, mimeType: string | undefined, base64: string): string =>
  `[${kind} omitted: ${mimeType === undefined ? '' : `${cutName(mimeType)}, `}${Math.round((base64.length * 3) / 4)} bytes]`;

const cutName = (text: string): string => text.slice(0, 200);
