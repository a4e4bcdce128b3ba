/**
 * `/api/chat` of a scripted server: loading, unloading, refusals, then the scripted turn or its fault. Refusals have
 * Ollama's status and wording, by which callers distinguish them.
 */
import * as z from 'zod';
import {
  chunksOf,
  countTokens,
  buildFinalPart,
  renderExchange,
  shapeReply,
  buildWholeAnswer,
} from './answer.ts';
import type { SimulatedGpu, ModelLease } from './simulated-gpu.ts';
import { fillReply, findTurn, hasTools } from './conversation.ts';
import type { ChatBody } from './conversation.ts';
import { deliverAnswer, pause, sendJson } from './delivery.ts';
import type { ScriptedAnswer, HttpExchange } from './delivery.ts';
import type { FaultCounter } from './fault-counter.ts';
import type { ModelStore } from './models.ts';
import type { Scenario, ScriptedModelSpec } from './scenario.ts';

const NS_PER_MS = 1e6;

const chatBodySchema = z.looseObject({
  model: z.string(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.string().default('') }))
    .nullish()
    .transform((messages) => messages ?? []),
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().optional(),
  truncate: z.boolean().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
});

export interface ChatContext {
  scenario: Scenario;
  models: ModelStore;
  faults: FaultCounter;
  /** Simulated GPU; without it nothing waits for the reported durations. */
  gpu?: SimulatedGpu;
}

/** Answers a chat request. Resolves when nothing more will be sent. */
export async function handleChat(
  rawBody: unknown,
  context: ChatContext,
  exchange: HttpExchange,
): Promise<void> {
  const parsed = chatBodySchema.safeParse(rawBody);
  if (!parsed.success) return sendJson(exchange.response, 400, { error: z.prettifyError(parsed.error) });
  const body: ChatBody = parsed.data;
  const model = context.models.find(body.model);
  if (!model) return sendJson(exchange.response, 404, { error: `model '${body.model}' not found` });
  const isUnload = body.messages.length === 0 && isZero(body.keep_alive);
  const loadError = isUnload ? undefined : loadErrorOf(body, model, context);
  if (loadError !== undefined) return sendJson(exchange.response, 500, { error: loadError });
  if (body.messages.length === 0) return await loadOrUnload(body, model, context, exchange);
  if (hasTools(body) && !model.capabilities.includes('tools')) {
    return sendJson(exchange.response, 400, {
      error: `registry.ollama.ai/library/${model.name} does not support tools`,
    });
  }
  await answerTurn(body, model, context, exchange);
  if (isZero(body.keep_alive)) context.models.unload(model.name);
}

async function loadOrUnload(
  body: ChatBody,
  model: ScriptedModelSpec,
  context: ChatContext,
  exchange: HttpExchange,
): Promise<void> {
  const isUnload = isZero(body.keep_alive);
  const fault = context.faults.takeFault('load', context.scenario.endpoints['load'] ?? []);
  const lease = isUnload ? undefined : await loadModel(body, model, context, exchange);
  lease?.release();
  if (isUnload) context.models.unload(model.name);
  const empty = { content: '', verbatim: true };
  await deliverAnswer(
    {
      chunks: [],
      whole: buildWholeAnswer(empty, model.name),
      finalFields: buildFinalPart(
        isUnload ? 'unload' : 'load',
        // Ollama reports no duration of a load.
        { tokensIn: 0, tokensOut: 0, loadNs: 0 },
        context.scenario.speed,
      ),
      stream: body.stream !== false,
      streamEnd: context.scenario.streamEnd,
    },
    fault,
    exchange,
  );
}

async function answerTurn(
  body: ChatBody,
  model: ScriptedModelSpec,
  context: ChatContext,
  exchange: HttpExchange,
): Promise<void> {
  const { scenario, faults } = context;
  const match = findTurn(scenario, body, (key) => faults.getAnswerCount(key));
  if ('missing' in match) {
    return sendJson(exchange.response, 400, { error: `scripted model: ${match.missing}` });
  }
  const { turn, key, position } = match;
  const fault = faults.takeFault(`${key}\n${position}`, turn.faults);
  const lease = await loadModel(body, model, context, exchange);
  try {
    await pause(turn.delayMs, exchange.closeSignal);
    const reply = shapeReply(fillReply(turn.reply, body, position), body);
    const counts = countTokens(turn, body, reply, context.models.windowOf(model));
    if (counts.promptTokens > counts.tokensIn && body.truncate === false && !model.ignoresTruncate) {
      return sendJson(exchange.response, 400, {
        error: formatTooLong(counts.promptTokens, counts.windowTokens),
      });
    }
    const readTokens = await lease.runCall({
      ...renderExchange(body, reply),
      conversation: key,
      promptTokens: counts.tokensIn,
      writtenTokens: counts.tokensOut,
    });
    const answer: ScriptedAnswer = {
      chunks: chunksOf(reply, model.name),
      whole: buildWholeAnswer(reply, model.name),
      finalFields: buildFinalPart(
        turn.doneReason,
        { ...counts, readTokens, loadNs: lease.loadMs * NS_PER_MS },
        scenario.speed,
      ),
      stream: body.stream !== false,
      streamEnd: scenario.streamEnd,
    };
    if (!fault || fault.kind === 'hold') faults.addAnswer(key);
    await deliverAnswer(answer, fault, exchange);
  } finally {
    lease.release();
  }
}

/** Returns why the model cannot be loaded for this request. */
function loadErrorOf(
  { options }: ChatBody,
  { name, loadError }: ScriptedModelSpec,
  { models, faults }: ChatContext,
): string | undefined {
  const windowTokens = Number(options?.['num_ctx'] ?? 0);
  if (!loadError || windowTokens <= loadError.aboveTokens) return undefined;
  const { error, times } = loadError;
  const fault = faults.takeFault(`load error\n${name}`, [
    { kind: 'error_line', error, afterChunks: 0, times },
  ]);
  if (fault) models.unload(name);
  return fault && error;
}

/** Loads the model with the request's window. */
async function loadModel(
  body: ChatBody,
  model: ScriptedModelSpec,
  { models, gpu }: ChatContext,
  { closeSignal }: HttpExchange,
): Promise<ModelLease> {
  if (gpu) {
    const lease = await gpu.acquireModel(
      model.name,
      Number(body.options?.['num_ctx'] ?? 0),
      model.loadMs,
      closeSignal,
    );
    models.load(model, body.options?.['num_ctx']);
    return lease;
  }
  const isNew = models.load(model, body.options?.['num_ctx']);
  if (isNew) await pause(model.loadMs, closeSignal);
  return {
    loadMs: isNew ? Math.max(1, model.loadMs) : 0,
    runCall: ({ promptTokens }) => Promise.resolve(promptTokens),
    release: () => undefined,
  };
}

/** Formats the refusal as Ollama does: the runner's error as text inside another error. */
const formatTooLong = (promptTokens: number, windowTokens: number): string =>
  JSON.stringify({
    error: {
      code: 400,
      message: `request (${promptTokens} tokens) exceeds the available context size (${windowTokens} tokens)`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: promptTokens,
      n_ctx: windowTokens,
    },
  });

const isZero = (keepAlive: unknown): boolean =>
  keepAlive === 0 || (typeof keepAlive === 'string' && /^0+[a-z]*$/.test(keepAlive));
