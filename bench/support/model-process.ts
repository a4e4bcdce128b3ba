/**
 * The scripted model in a process of its own, with a stopwatch: when each request's last byte was read and when its
 * answer's last byte was given to the kernel. What it asks for takes no time of its own; what it does with a request
 * (parsing, choosing the turn) lies outside of what is measured.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { answerQuestions } from './child.ts';
import { commonPrefix } from './measure.ts';
import { FILES } from './repositories.ts';

export const MODEL = 'scripted:bench';

export interface ModelProcessOptions {
  /** Rounds of one shell command each before the answer. */
  rounds: number;
  /** Trained window, in tokens. */
  contextLength?: number;
  streamEnd?: ScenarioInput['streamEnd'];
}

/** One request as the server saw it; times are milliseconds since the epoch, with fractions. */
export interface Exchange {
  path: string;
  /** The client's port: requests with the same one share a connection. */
  connection: number;
  requestEndMs: number;
  answerEndMs: number;
  bodyBytes: number;
  /** Everything below only for chats with messages. */
  chat?: ChatFacts;
}

export interface ChatFacts {
  /** Distinguishes tasks: the first user message. */
  task: string;
  /** As the answer counted them. */
  promptTokens: number;
  /** Share of the prompt before (tools and messages) that this one begins with; undefined for the first. */
  extendsBefore?: number;
  /** Call ids anywhere in it, though the server never gave one. */
  callIds: number;
  /** System prompt and tools. */
  fixedPart: string;
}

interface ChatBody {
  messages?: { role: string; content?: string }[];
  tools?: unknown[];
}

const nowMs = () => performance.timeOrigin + performance.now();

const options = JSON.parse(process.argv[2] ?? '{}') as ModelProcessOptions;
let exchanges: Exchange[] = [];
const lastPrompt = new Map<string, string>();

// The server's own code stays as it is: Node tells of each request that begins.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  time(request, response);
});

const server = await startScriptedModel({ scenario: scenario(options) });
answerQuestions(
  { url: server.url },
  async () => {
    const taken = exchanges;
    exchanges = [];
    lastPrompt.clear();
    return { exchanges: taken };
  },
  () => server.close(),
);

/** Notes both ends of an exchange; its content is looked at when the answer is on its way. */
function time(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  let requestEndMs = 0;
  const connection = request.socket.remotePort ?? 0;
  const push = request.push.bind(request);
  request.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
    if (piece === null) requestEndMs = nowMs();
    else pieces.push(piece);
    return push(piece, encoding);
  };
  // A client has the answer when it has the last line, whether or not the server ends the stream.
  const record = (last: string): void => {
    const answerEndMs = nowMs();
    setImmediate(() => {
      const body = Buffer.concat(pieces);
      const path = request.url ?? '';
      const chat = path === '/api/chat' ? chatFacts(body.toString('utf8'), last) : undefined;
      exchanges.push({
        path,
        connection,
        requestEndMs,
        answerEndMs,
        bodyBytes: body.length,
        ...(chat && { chat }),
      });
    });
  };
  let isRecorded = false;
  const write = response.write.bind(response);
  response.write = ((...args: unknown[]) => {
    const isWritten = Reflect.apply(write, undefined, args) as boolean;
    const line = String(args[0]);
    if (!isRecorded && line.includes('"done":true')) {
      isRecorded = true;
      record(line);
    }
    return isWritten;
  }) as typeof write;
  const end = response.end.bind(response);
  response.end = ((...args: unknown[]) => {
    Reflect.apply(end, undefined, args);
    if (!isRecorded) record(typeof args[0] === 'string' ? args[0] : '');
    return response;
  }) as typeof end;
}

function chatFacts(text: string, answer: string): ChatFacts | undefined {
  const { messages = [], tools = [] } = JSON.parse(text) as ChatBody;
  if (messages.length === 0) return undefined;
  const task = messages.find(({ role }) => role === 'user')?.content ?? '';
  const prompt = JSON.stringify(tools) + messages.map((message) => JSON.stringify(message)).join();
  const before = lastPrompt.get(task);
  lastPrompt.set(task, prompt);
  return {
    task,
    promptTokens: (JSON.parse(answer) as { prompt_eval_count?: number }).prompt_eval_count ?? 0,
    ...(before !== undefined && { extendsBefore: commonPrefix(before, prompt) / before.length }),
    callIds: prompt.match(/"tool_call_id":|"id":/gu)?.length ?? 0,
    fixedPart: JSON.stringify(messages.filter(({ role }) => role === 'system')) + JSON.stringify(tools),
  };
}

/** `cat f1`, `cat f2`, … and then an answer; each round reads another file, so that no guard takes it for a loop. */
function scenario({ rounds, contextLength = 131_072, streamEnd }: ModelProcessOptions): ScenarioInput {
  const calls = Array.from({ length: rounds }, (_, round) => ({
    reply: {
      tool_calls: [{ name: 'shell', arguments: { command: `cat f${(round % FILES) + 1}` } }],
    },
  }));
  const done = { reply: { content: 'All files were read.' }, repeat: 'always' as const };
  return {
    models: [{ name: MODEL, contextLength }],
    streamEnd,
    scripts: [{ name: 'bench', position: 'requests', turns: [...calls, done] }],
  };
}
