/**
 * Traces by OpenTelemetry's conventions for generative AI: `invoke_agent` for an attempt at a task, below it `chat` for each
 * call of the model and `execute_tool` for each tool call. Names, counts, durations and stable codes only: nothing that was
 * said or done is in them.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  defaultTextMapGetter,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { ChatOutcome, ChatReply, ChatRequest } from '../model/chat.ts';
import { withChat } from '../model/with-chat.ts';
import type { ChatCall, ModelServer, TaskTrace, TaskTracer } from '../ports.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task } from '../protocol/task.ts';
import { VERSION } from '../system/version.ts';
import type { ToolCallResult } from '../tools/types.ts';

const AGENT = 'ollama-sidecar';
/** A model may call tools that do not exist, by any name. */
const MAX_NAME_CHARS = 128;

/** `agentId`: the worker's name on its hub. */
export const createTaskTracer = (tracer: Tracer, agentId: string | undefined): TaskTracer => ({
  begin: (task, facts) => beginTrace(tracer, task, { ...facts, agentId }),
});

function beginTrace(
  tracer: Tracer,
  task: Task,
  { resumed, agentId }: { resumed: boolean; agentId: string | undefined },
): TaskTrace {
  const parent = parentOf(task);
  const attempt = tracer.startSpan(`invoke_agent ${AGENT}`, { kind: SpanKind.INTERNAL }, parent);
  const inside = trace.setSpan(parent, attempt);
  attempt.setAttributes({
    'gen_ai.provider.name': 'ollama',
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': AGENT,
    'gen_ai.agent.version': VERSION,
    'gen_ai.agent.id': agentId,
    'gen_ai.conversation.id': task.task_id,
    'gen_ai.request.model': task.routing_decision?.selected_model,
    'ollama_sidecar.task.id': task.task_id,
    'ollama_sidecar.task.generation': task.generation,
    'ollama_sidecar.task.tier': task.complexity?.effective_tier,
    'ollama_sidecar.task.resumed': resumed,
  });
  return {
    watch: (server, baseUrl) =>
      withChat(server, (request, call) => {
        // The conventions have no operation for loading a model, which may take minutes.
        if (request.messages.length === 0) return tracedLoad(server, attempt, request, call);
        const span = tracer.startSpan(`chat ${request.model}`, { kind: SpanKind.CLIENT }, inside);
        return tracedChat({ server, baseUrl, span }, request, call);
      }),
    toolCall: (_call, result, known) => {
      const endMs = Date.now();
      const name = `execute_tool ${known ? result.toolName : 'unknown'}`;
      const attributes: Attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': result.toolName.slice(0, MAX_NAME_CHARS),
        'gen_ai.tool.call.id': result.toolCallId,
        'gen_ai.tool.type': 'function',
      };
      const startTime = endMs - result.durationMs;
      const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, startTime }, inside);
      if (result.isError) fail(span, known ? toolErrorType(result) : 'unknown_tool');
      span.end(endMs);
    },
    end: ({ outcome, generation, result, error }) => {
      attempt.setAttributes({
        'ollama_sidecar.task.generation': generation,
        'ollama_sidecar.task.outcome': outcome,
        ...(result && resultAttributes(result)),
      });
      if (outcome === 'failed') fail(attempt, failureType(result, error));
      attempt.end();
    },
  };
}

async function tracedLoad(
  server: ModelServer,
  attempt: Span,
  request: ChatRequest,
  call: ChatCall,
): Promise<ChatOutcome> {
  const startedMs = performance.now();
  const loaded = await server.chat(request, call);
  attempt.addEvent('ollama_sidecar.model_loaded', {
    'gen_ai.request.model': request.model,
    'ollama_sidecar.load_seconds': (performance.now() - startedMs) / 1000,
    ...(!loaded.ok && { 'error.type': loaded.failure.code }),
  });
  return loaded;
}

async function tracedChat(
  { server, baseUrl, span }: { server: ModelServer; baseUrl: string; span: Span },
  request: ChatRequest,
  call: ChatCall,
): Promise<ChatOutcome> {
  const { model, stream, format, options } = request;
  span.setAttributes({
    ...serverAttributes(baseUrl),
    'gen_ai.provider.name': 'ollama',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.request.stream': stream || undefined,
    'gen_ai.request.temperature': options?.temperature as number | undefined,
    'gen_ai.output.type': format ? 'json' : 'text',
  });
  const startedMs = performance.now();
  let firstChunkMs: number | undefined;
  const onDelta: ChatCall['onDelta'] = (delta) => {
    firstChunkMs ??= performance.now();
    call.onDelta?.(delta);
  };
  const outcome = await server.chat(request, stream ? { ...call, onDelta } : call);
  if (firstChunkMs !== undefined)
    span.setAttribute('gen_ai.response.time_to_first_chunk', (firstChunkMs - startedMs) / 1000);
  if (outcome.ok) span.setAttributes(replyAttributes(model, outcome.value));
  else fail(span, outcome.failure.code);
  span.end();
  return outcome;
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** Who asked for the task, where its metadata carries a W3C trace context. */
function parentOf({ metadata: { traceparent, tracestate } }: Task): Context {
  const texts = Object.entries({ traceparent, tracestate }).filter(([, text]) => typeof text === 'string');
  const carrier = Object.fromEntries(texts);
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

function serverAttributes(baseUrl: string): Attributes {
  if (!URL.canParse(baseUrl)) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
}

const replyAttributes = (asked: string, reply: ChatReply): Attributes => ({
  'gen_ai.response.model': reply.model ?? asked,
  'gen_ai.response.finish_reasons': reply.doneReason ? [reply.doneReason] : undefined,
  'gen_ai.usage.input_tokens': reply.tokensIn,
  'gen_ai.usage.output_tokens': reply.tokensOut,
  'ollama_sidecar.load_seconds': reply.loadNs / 1e9,
  'ollama_sidecar.prompt_eval_seconds': reply.promptEvalNs / 1e9,
  'ollama_sidecar.eval_seconds': reply.evalNs / 1e9,
});

const resultAttributes = (result: TaskResult): Attributes => ({
  ...(result.model_used && { 'gen_ai.request.model': result.model_used }),
  'gen_ai.usage.input_tokens': result.tokens_in,
  'gen_ai.usage.output_tokens': result.tokens_out,
  'ollama_sidecar.task.termination_reason': result.termination_reason,
  'ollama_sidecar.task.iterations': result.iterations_used,
  'ollama_sidecar.task.cost_usd': result.estimated_cost_usd,
  'ollama_sidecar.verification.status': result.verification_status,
  'ollama_sidecar.verification.attempts': result.verification_attempts,
});

/** Why a task failed, in one of few words: its ending, or the code that its error begins with. */
function failureType(result: TaskResult | undefined, error: string | undefined): string {
  if (result)
    return result.termination_reason === 'final_answer' ? 'checks_failed' : result.termination_reason;
  return /^[a-z_]+/u.exec(error ?? '')?.[0] ?? 'failed';
}

/** Why a call failed, in one of few words. */
function toolErrorType({ details = {} }: ToolCallResult): string {
  if (details.refused) return 'refused';
  if (details.timedOut) return 'timeout';
  return typeof details.exitCode === 'number' ? 'exit_code' : 'tool_error';
}
