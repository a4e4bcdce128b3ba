/**
 * A scripted model: a real HTTP server with Ollama's API, driven by a scenario file, for tests, the demo, and for trying a
 * hub without a GPU. It identifies itself as scripted everywhere (version, family, Server header).
 */
import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatHostAndPort } from '../../base/addresses/host-and-port.ts';
import type { Clock } from '../../base/ports.ts';
import { systemClock } from '../../base/system/clock.ts';
import { parseJson } from '../../base/values/json.ts';
import { SimulatedGpu, type GpuWork } from './simulated-gpu.ts';
import { handleChat } from './chat.ts';
import type { ChatContext } from './chat.ts';
import { deliverAnswer, sendJson, waitForRelease } from './delivery.ts';
import type { ScriptedAnswer, HttpExchange } from './delivery.ts';
import { FaultCounter } from './fault-counter.ts';
import { ModelStore, buildPullLines, SCRIPTED_VERSION, buildShowResponse } from './models.ts';
import { Recorder, type ReceivedRequest } from './recording.ts';
import { loadScenario } from './scenario.ts';
import type { Fault, ScenarioInput } from './scenario.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

interface ScriptedModelOptions {
  /** A scenario, or the path of a JSON file with one. */
  scenario: string | ScenarioInput;
  /** Port to listen on; 0 or undefined for any free port. */
  port?: number;
  host?: string;
  /** Clock of a scenario with a `card`; default: real time. */
  clock?: Clock;
}

export interface ScriptedModelServer {
  /** Base address, for `ollama.url`. */
  readonly url: string;
  readonly port: number;
  /** The newest 2000 requests, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Returns the n-th request (from 1) or the first that matches; rejects after a timeout. */
  waitForRequest: Recorder['waitFor'];
  /** The GPU's work for calls, in the order of their ends; empty without a `card` in the scenario. */
  readonly workLog: readonly GpuWork[];
  /** Releases all requests that a `hold` fault holds, and all later ones. */
  release(): void;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

/** Starts the server. Rejects with `ScenarioError` for an invalid scenario, or if the port is not available. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModelServer> {
  const scenario = await loadScenario(options.scenario);
  const models = new ModelStore(scenario.models);
  const { clock = systemClock } = options;
  const { speed } = scenario;
  const gpu =
    scenario.card &&
    new SimulatedGpu({ ...scenario.card, clock, speed, onUnload: (name) => models.unload(name) });
  const context = { scenario, models, faults: new FaultCounter(), ...(gpu && { gpu }) };
  const recorder = new Recorder();
  const release = new AbortController();
  const closing = new AbortController();
  // Each waiting call adds a listener; many are no leak.
  setMaxListeners(0, release.signal, closing.signal);
  const server = createServer((request, response) => {
    const exchange = openExchange(response, release.signal, closing.signal);
    handleRequest(request, exchange, context, recorder).catch((cause: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: `scripted model: ${String(cause)}` });
      else response.destroy();
    });
  });
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${formatHostAndPort(host, port)}`,
    port,
    requests: recorder.requests,
    workLog: gpu?.workLog ?? [],
    waitForRequest: (...wanted) => recorder.waitFor(...wanted),
    release: () => release.abort(),
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function openExchange(
  response: ServerResponse,
  releaseSignal: AbortSignal,
  closing: AbortSignal,
): HttpExchange {
  const controller = new AbortController();
  const exchange: HttpExchange = {
    response,
    closeSignal: controller.signal,
    releaseSignal,
    isCutByServer: false,
  };
  const end = (): void => {
    exchange.isCutByServer = true;
    controller.abort();
  };
  closing.addEventListener('abort', end, { once: true });
  response.once('close', () => {
    closing.removeEventListener('abort', end);
    controller.abort();
  });
  return exchange;
}

async function handleRequest(
  request: IncomingMessage,
  exchange: HttpExchange,
  context: ChatContext,
  recorder: Recorder,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://scripted').pathname;
  const text = await readBody(request);
  if (text === undefined) return sendJson(exchange.response, 413, { error: 'request body too large' });
  const body = parseJson(text) ?? null;
  recorder.add(recordRequest(request.method ?? 'GET', path, body, exchange));
  exchange.response.setHeader('server', 'ollama-sidecar-scripted-model');
  const globalFault = context.faults.takeFault('*', context.scenario.endpoints['*'] ?? []);
  if (globalFault && (await applyEndpointFault(globalFault, exchange))) return;
  const key = `${request.method} ${path}`;
  if (key === 'POST /api/chat') return await handleChat(body, context, exchange);
  const fault = context.faults.takeFault(path, context.scenario.endpoints[path] ?? []);
  const answer = answerEndpoint(key, body, context);
  if (fault) return await deliverAnswer(toAnswer(answer), fault, exchange);
  if (Array.isArray(answer)) {
    exchange.response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    exchange.response.end(answer.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return;
  }
  sendJson(exchange.response, answer.status, answer.body);
}

/** Applies a fault of all requests; false if the request must still be answered. */
async function applyEndpointFault(fault: Fault, exchange: HttpExchange): Promise<boolean> {
  if (fault.kind !== 'hold') {
    await deliverAnswer(
      { chunks: [], whole: {}, finalFields: {}, stream: false, streamEnd: 'together' },
      fault,
      exchange,
    );
    return true;
  }
  await waitForRelease(exchange);
  return exchange.closeSignal.aborted;
}

type EndpointAnswer = object[] | { status: number; body: unknown };

function answerEndpoint(key: string, body: unknown, { models }: ChatContext): EndpointAnswer {
  const { model, name } = (body ?? {}) as { model?: unknown; name?: unknown };
  const modelName = [model, name].find((value) => typeof value === 'string') ?? '';
  switch (key) {
    case 'GET /':
    case 'HEAD /':
      return { status: 200, body: 'A scripted model is running' };
    case 'GET /api/version':
      return { status: 200, body: { version: SCRIPTED_VERSION } };
    case 'GET /api/tags':
      return { status: 200, body: models.listInstalled() };
    case 'GET /api/ps':
      return { status: 200, body: models.listRunning() };
    case 'POST /api/show': {
      const found = models.find(modelName);
      const error = `model '${modelName}' not found`;
      return found ? { status: 200, body: buildShowResponse(found) } : { status: 404, body: { error } };
    }
    case 'DELETE /api/delete':
      return { status: models.remove(modelName) ? 200 : 404, body: {} };
    case 'POST /api/pull': {
      const installed = models.install(modelName);
      return installed
        ? buildPullLines(installed)
        : [{ status: 'pulling manifest' }, { error: 'pull model manifest: file does not exist' }];
    }
    default:
      return { status: 404, body: { error: `scripted model: no endpoint ${key}` } };
  }
}

/** Converts an endpoint's response, so that it can have the faults of a chat. */
function toAnswer(answer: EndpointAnswer): ScriptedAnswer {
  const lines = Array.isArray(answer) ? answer : [];
  const whole = Array.isArray(answer) ? {} : (answer.body as object);
  return {
    chunks: lines.slice(0, -1),
    whole,
    finalFields: lines.at(-1) ?? {},
    stream: lines.length > 0,
    streamEnd: 'together',
  };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_BODY_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function recordRequest(method: string, path: string, body: unknown, exchange: HttpExchange): ReceivedRequest {
  const { response } = exchange;
  const recordedRequest: ReceivedRequest = {
    method,
    path,
    body,
    remotePort: response.socket?.remotePort,
    atMs: Date.now(),
    closedEarly: false,
    ended: new Promise((resolve) => {
      response.once('close', () => {
        recordedRequest.closedEarly = !response.writableFinished && !exchange.isCutByServer;
        recordedRequest.endedAtMs = Date.now();
        resolve();
      });
    }),
  };
  return recordedRequest;
}
