/**
 * Traces by OpenTelemetry's conventions for generative AI: `invoke_agent` for an attempt at
 * a task, below it `chat` for each call of the model and `execute_tool` for each tool call. Without `content` nothing
 * that was said or done is in them: names, counts, durations and stable codes only.
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
import type { ChatOutcome, ChatRequest } from '../model/chat.ts';
import type { ChatCall, Logger, ModelServer, TaskTrace, TaskTracer } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import type { ToolCallRequest, ToolCallResult } from '../tools/types.ts';
import { withChat } from '../model/with-chat.ts';
import {
  AGENT_NAME,
  agentAttributes,
  chatAttributes,
  failureType,
  replyAttributes,
  resultAttributes,
  toolAttributes,
  toolErrorType,
} from './trace-attributes.ts';
import type { TraceContent } from './trace-content.ts';

export interface TaskTracerOptions {
  tracer: Tracer;
  /** Name of this worker on its hub. */
  agentId: string | undefined;
  /** Set where the content of prompts and results may be exported. */
  content: TraceContent | undefined;
  logger: Logger;
}

export function createTaskTracer(options: TaskTracerOptions): TaskTracer {
  return {
    begin: (task, facts) => quietly(options.logger, () => new Trace(options, task, facts)),
  };
}

/** A failure in tracing never disturbs the task. */
class Trace implements TaskTrace {
  readonly #options: TaskTracerOptions;
  readonly #span: Span;
  readonly #inside: Context;

  constructor(options: TaskTracerOptions, task: Task, { resumed }: { resumed: boolean }) {
    this.#options = options;
    const parent = parentOf(task);
    const attributes = { ...agentAttributes(task, options.agentId), 'ollama_sidecar.task.resumed': resumed };
    const name = `invoke_agent ${AGENT_NAME}`;
    this.#span = options.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent);
    this.#inside = trace.setSpan(parent, this.#span);
  }

  watch(server: ModelServer, baseUrl: string): ModelServer {
    return withChat(server, (request, call) =>
      request.messages.length === 0
        ? this.#load(server, request, call)
        : this.#chat(server, baseUrl, request, call),
    );
  }

  toolCall(call: ToolCallRequest, result: ToolCallResult, known: boolean): void {
    this.#quietly(() => {
      const endMs = Date.now();
      const { content, tracer } = this.#options;
      const name = known ? result.toolName : 'unknown';
      const attributes: Attributes = {
        ...toolAttributes(result),
        ...(content && {
          'gen_ai.tool.call.arguments': content.text(call.args),
          'gen_ai.tool.call.result': content.text(result.output),
        }),
      };
      const span = tracer.startSpan(
        `execute_tool ${name}`,
        { kind: SpanKind.INTERNAL, attributes, startTime: endMs - result.durationMs },
        this.#inside,
      );
      if (result.isError) this.#fail(span, known ? toolErrorType(result) : 'unknown_tool', result.output);
      span.end(endMs);
    });
  }

  end({ outcome, generation, result, error }: Parameters<TaskTrace['end']>[0]): void {
    this.#quietly(() => {
      this.#span.setAttributes({
        'ollama_sidecar.task.generation': generation,
        'ollama_sidecar.task.outcome': outcome,
        ...(result && resultAttributes(result)),
      });
      if (outcome === 'failed') {
        this.#fail(this.#span, failureType(result, error), error);
      }
      this.#span.end();
    });
  }

  async #chat(
    server: ModelServer,
    baseUrl: string,
    request: ChatRequest,
    call: ChatCall,
  ): Promise<ChatOutcome> {
    const span = this.#startChat(baseUrl, request);
    const startedMs = performance.now();
    let firstChunkMs: number | undefined;
    const onDelta: ChatCall['onDelta'] = (delta) => {
      firstChunkMs ??= performance.now();
      call.onDelta?.(delta);
    };
    const outcome = await server.chat(request, request.stream ? { ...call, onDelta } : call);
    this.#quietly(() => {
      if (firstChunkMs !== undefined)
        span?.setAttribute('gen_ai.response.time_to_first_chunk', (firstChunkMs - startedMs) / 1000);
      if (span) this.#endChat(span, request, outcome);
    });
    return outcome;
  }

  #startChat(baseUrl: string, request: ChatRequest): Span | undefined {
    return this.#quietly(() => {
      const { content, tracer } = this.#options;
      const attributes: Attributes = {
        ...chatAttributes(baseUrl, request),
        ...(content && { 'gen_ai.input.messages': content.input(request.messages) }),
      };
      return tracer.startSpan(`chat ${request.model}`, { kind: SpanKind.CLIENT, attributes }, this.#inside);
    });
  }

  #endChat(span: Span, request: ChatRequest, outcome: ChatOutcome): void {
    if (outcome.ok) {
      const { content } = this.#options;
      span.setAttributes({
        ...replyAttributes(request, outcome.value),
        ...(content && { 'gen_ai.output.messages': content.output(outcome.value) }),
      });
    } else {
      const { code, message, partial } = outcome.failure;
      if (partial) span.setAttribute('gen_ai.usage.output_tokens', partial.tokensOut);
      this.#fail(span, code, message);
    }
    span.end();
  }

  /** The conventions have no operation for loading a model, which may take minutes. */
  async #load(server: ModelServer, request: ChatRequest, call: ChatCall): Promise<ChatOutcome> {
    const startedMs = performance.now();
    const outcome = await server.chat(request, call);
    this.#quietly(() => {
      this.#span.addEvent('ollama_sidecar.model_loaded', {
        'gen_ai.request.model': request.model,
        'ollama_sidecar.load_seconds': (performance.now() - startedMs) / 1000,
        ...(outcome.ok ? {} : { 'error.type': outcome.failure.code }),
      });
    });
    return outcome;
  }

  /** What failed, by a stable code; with a message only where content may be exported. */
  #fail(span: Span, type: string, words: string | undefined): void {
    span.setAttribute('error.type', type);
    const { content } = this.#options;
    const message = content && words ? content.text(words) : type;
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  #quietly<T>(tell: () => T): T | undefined {
    return quietly(this.#options.logger, tell);
  }
}

function quietly<T>(logger: Logger, tell: () => T): T | undefined {
  try {
    return tell();
  } catch (error) {
    logger.warn({ err: error }, 'A trace could not be told');
    return undefined;
  }
}

/** Who asked for the task, where its metadata carries a W3C trace context. */
function parentOf({ metadata }: Task): Context {
  const { traceparent, tracestate } = metadata;
  const carrier = {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  };
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}
