/**
 * Traces by OpenTelemetry's conventions for generative AI, sent to a collector over OTLP/HTTP: `invoke_agent` for an
 * attempt at a task, below it `chat` for each model call and `execute_tool` for each tool call. Spans contain only
 * names, counts, durations and stable codes, no texts. Tasks are never affected: the queue is bounded and drops surplus
 * spans, and a delivery ends after 3 s. Loaded only if an endpoint is set.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  defaultTextMapGetter,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import {
  W3CTraceContextPropagator,
  parseKeyPairsIntoRecord,
  setGlobalErrorHandler,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ChatCall, ChatRequest, ModelServer } from '../model/chat.ts';
import { replaceChat } from '../model/replace-chat.ts';
import type { Clock, Logger } from '../base/ports.ts';
import type { TaskResult } from '../base/protocol/result.ts';
import type { Task } from '../base/protocol/task.ts';
import { VERSION } from '../base/system/version.ts';
import type { SecretMasker } from '../base/observability/secrets.ts';
import type { TaskTrace } from '../solving/run-ports.ts';

/** Begins a trace for each attempt at a task. Never throws, never blocks. */
export interface TaskTracer {
  /** `resumed`: an earlier run of this worker began the attempt. */
  beginTrace(task: Task, facts: { resumed: boolean }): TaskTrace | undefined;
}

const PROGRAM_NAME = 'ollama-sidecar';
/** Time limit of a delivery with its retries. A delivery keeps the process alive, so this also limits the last one. */
const EXPORT_TIMEOUT_MS = 3_000;
const LOG_EVERY_MS = 60_000;
/** Maximum length of a tool's name, since a model may call tools by any invented name. */
const MAX_NAME_CHARS = 128;

/**
 * Opens the traces. `endpoint`: the collector's base or traces address; `workerId`: the worker's name on its hub. Throws
 * only for values that OpenTelemetry's library refuses. The returned `close` sends the remaining spans within the
 * timeout of a delivery and never rejects.
 */
export function openTraces(
  { endpoint, workerId }: { endpoint: string; workerId: string | undefined },
  { clock, logger, masker }: { clock: Clock; logger: Logger; masker: SecretMasker },
): TaskTracer & { close: () => Promise<void> } {
  const url = new URL(endpoint);
  url.pathname = url.pathname.replace(/(?:\/v1\/traces)?\/*$/u, '/v1/traces');
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url: url.href, timeoutMillis: EXPORT_TIMEOUT_MS }),
    scheduledDelayMillis: 2_000,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS + 500,
  });
  const ownAttributes = {
    'service.name': PROGRAM_NAME,
    'service.version': VERSION,
    'service.instance.id': workerId,
  };
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
  const attributes = resourceFromAttributes({ ...ownAttributes, ...envDetector.detect().attributes });
  const resource = defaultResource().merge(attributes);
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const reportLoss = createLossReporter(url.host, clock, logger);
  setGlobalErrorHandler(reportLoss);
  const { OTEL_EXPORTER_OTLP_HEADERS: commonHeaders, OTEL_EXPORTER_OTLP_TRACES_HEADERS: traceHeaders } =
    process.env;
  for (const headers of [commonHeaders, traceHeaders])
    for (const secret of Object.values(parseKeyPairsIntoRecord(headers))) masker.add(secret);
  return {
    beginTrace: (task, { resumed }) =>
      beginTrace(provider.getTracer(PROGRAM_NAME, VERSION), task, workerId, resumed),
    close: () => provider.shutdown().catch(reportLoss),
  };
}

/** Returns a function that logs a failing collector at most once a minute, without any content. */
function createLossReporter(collector: string, clock: Clock, logger: Logger): () => void {
  let loggedMs = -Infinity;
  return () => {
    if (clock.monotonicMs() - loggedMs < LOG_EVERY_MS) return;
    loggedMs = clock.monotonicMs();
    logger.warn({ collector }, 'the collector did not accept spans; they are lost');
  };
}

function beginTrace(tracer: Tracer, task: Task, workerId: string | undefined, resumed: boolean): TaskTrace {
  // The submitter may have passed a trace context in the metadata, which is validated when it is read.
  const parent = new W3CTraceContextPropagator().extract(ROOT_CONTEXT, task.metadata, defaultTextMapGetter);
  const attributes = {
    'gen_ai.provider.name': 'ollama',
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': PROGRAM_NAME,
    'gen_ai.agent.version': VERSION,
    'gen_ai.agent.id': workerId,
    'gen_ai.conversation.id': task.task_id,
    'gen_ai.request.model': task.routing_decision?.selected_model,
    'ollama_sidecar.task.id': task.task_id,
    'ollama_sidecar.task.tier': task.complexity?.effective_tier,
    'ollama_sidecar.task.resumed': resumed,
  };
  const attemptSpan = tracer.startSpan(`invoke_agent ${PROGRAM_NAME}`, { attributes }, parent);
  const attemptContext = trace.setSpan(parent, attemptSpan);
  return {
    traceServer: (server, baseUrl) => {
      const { hostname, port, protocol } = new URL(baseUrl);
      const serverPort = Number(port) || (protocol === 'https:' ? 443 : 80);
      const attributes = { 'server.address': hostname, 'server.port': serverPort };
      return replaceChat(server, (request, call) => {
        // The conventions have no operation for loading a model, which may take minutes.
        if (request.messages.length === 0) return traceLoad(server, attemptSpan, request, call);
        const span = tracer.startSpan(
          `chat ${request.model}`,
          { kind: SpanKind.CLIENT, attributes },
          attemptContext,
        );
        return traceChat(server, span, request, call);
      });
    },
    recordToolCall: (result, isKnown) => {
      const endMs = Date.now();
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': result.toolName.slice(0, MAX_NAME_CHARS),
        'gen_ai.tool.call.id': result.toolCallId,
        'gen_ai.tool.type': 'function',
      };
      const name = `execute_tool ${isKnown ? result.toolName : 'unknown'}`;
      const span = tracer.startSpan(
        name,
        { attributes, startTime: endMs - result.durationMs },
        attemptContext,
      );
      if (result.isError) markFailed(span, isKnown ? toolErrorTypeOf(result.details) : 'unknown_tool');
      span.end(endMs);
    },
    end: ({ outcome, generation, result, error }) => {
      attemptSpan.setAttributes({
        'ollama_sidecar.task.generation': generation,
        'ollama_sidecar.task.outcome': outcome,
        'gen_ai.request.model': result?.model_used || undefined,
        'ollama_sidecar.task.termination_reason': result?.termination_reason,
        'ollama_sidecar.task.iterations': result?.iterations_used,
        'ollama_sidecar.task.cost_usd': result?.estimated_cost_usd,
        'ollama_sidecar.verification.status': result?.verification_status,
        'ollama_sidecar.verification.attempts': result?.verification_attempts,
        'gen_ai.usage.input_tokens': result?.tokens_in,
        'gen_ai.usage.output_tokens': result?.tokens_out,
      });
      if (outcome === 'failed') markFailed(attemptSpan, failureTypeOf(result, error));
      attemptSpan.end();
    },
  };
}

async function traceLoad(server: ModelServer, attemptSpan: Span, request: ChatRequest, call: ChatCall) {
  const startedMs = performance.now();
  const outcome = await server.chat(request, call);
  attemptSpan.addEvent('ollama_sidecar.model_loaded', {
    'gen_ai.request.model': request.model,
    'ollama_sidecar.load_seconds': (performance.now() - startedMs) / 1000,
    'error.type': outcome.ok ? undefined : outcome.failure.code,
  });
  return outcome;
}

async function traceChat(server: ModelServer, span: Span, request: ChatRequest, call: ChatCall) {
  span.setAttributes({
    'gen_ai.provider.name': 'ollama',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': request.model,
    'gen_ai.request.stream': request.stream || undefined,
    'gen_ai.request.temperature': request.options?.temperature as number | undefined,
    'gen_ai.output.type': request.format ? 'json' : 'text',
  });
  const startedMs = performance.now();
  let firstChunkSeconds: number | undefined;
  const onDelta: ChatCall['onDelta'] = (delta) => {
    firstChunkSeconds ??= (performance.now() - startedMs) / 1000;
    call.onDelta?.(delta);
  };
  const outcome = await server.chat(request, request.stream ? { ...call, onDelta } : call);
  span.setAttributes({ 'gen_ai.response.time_to_first_chunk': firstChunkSeconds });
  if (outcome.ok) {
    const reply = outcome.value;
    span.setAttributes({
      'gen_ai.response.model': reply.model ?? request.model,
      'gen_ai.response.finish_reasons': reply.doneReason ? [reply.doneReason] : undefined,
      'gen_ai.usage.input_tokens': reply.tokensIn,
      'gen_ai.usage.output_tokens': reply.tokensOut,
      'ollama_sidecar.load_seconds': reply.loadNs / 1e9,
      'ollama_sidecar.prompt_eval_seconds': reply.promptEvalNs / 1e9,
      'ollama_sidecar.eval_seconds': reply.evalNs / 1e9,
    });
  } else markFailed(span, outcome.failure.code);
  span.end();
  return outcome;
}

function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** Returns the reason of a failed task as one of a few codes: its termination reason, or the code of its error. */
function failureTypeOf(result: TaskResult | undefined, error: string | undefined): string {
  const code = result?.termination_reason ?? /^[a-z_]+/u.exec(error ?? '')?.[0] ?? 'failed';
  return code === 'final_answer' ? 'checks_failed' : code;
}

/** Returns the reason of a failed tool call as one of a few codes. */
function toolErrorTypeOf(details: Record<string, unknown> = {}): string {
  if (details.refused) return 'refused';
  if (details.timedOut) return 'timeout';
  return typeof details.exitCode === 'number' ? 'exit_code' : 'tool_error';
}
