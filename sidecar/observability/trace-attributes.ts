/**
 * What the spans of a trace carry: the names of OpenTelemetry's conventions for generative AI
 * where there is one, `ollama_sidecar.…` otherwise. Pure; nothing that was said or done is among it.
 */
import type { Attributes } from '@opentelemetry/api';
import type { ChatReply, ChatRequest } from '../model/chat.ts';
import type { TaskResult } from '../protocol/result.ts';
import type { Task } from '../protocol/task.ts';
import type { ToolCallResult } from '../tools/types.ts';
import { VERSION } from '../system/version.ts';

export const AGENT_NAME = 'ollama-sidecar';
const PROVIDER = { 'gen_ai.provider.name': 'ollama' };
/** A model may call tools that do not exist, by any name. */
const MAX_NAME_CHARS = 128;

export function agentAttributes(task: Task, agentId: string | undefined): Attributes {
  const tier = task.complexity?.effective_tier;
  const model = task.routing_decision?.selected_model;
  return {
    ...PROVIDER,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': AGENT_NAME,
    'gen_ai.agent.version': VERSION,
    ...(agentId !== undefined && { 'gen_ai.agent.id': agentId }),
    'gen_ai.conversation.id': task.task_id,
    ...(model !== undefined && { 'gen_ai.request.model': model }),
    'ollama_sidecar.task.id': task.task_id,
    'ollama_sidecar.task.generation': task.generation,
    ...(tier !== undefined && { 'ollama_sidecar.task.tier': tier }),
  };
}

export function resultAttributes(result: TaskResult): Attributes {
  return {
    ...(result.model_used && { 'gen_ai.request.model': result.model_used }),
    'gen_ai.usage.input_tokens': result.tokens_in,
    'gen_ai.usage.output_tokens': result.tokens_out,
    'ollama_sidecar.task.termination_reason': result.termination_reason,
    'ollama_sidecar.task.iterations': result.iterations_used,
    'ollama_sidecar.task.cost_usd': result.estimated_cost_usd,
    'ollama_sidecar.verification.status': result.verification_status,
    'ollama_sidecar.verification.attempts': result.verification_attempts,
  };
}

export function chatAttributes(baseUrl: string, { model, stream, format, options }: ChatRequest): Attributes {
  const temperature = options?.temperature;
  return {
    ...PROVIDER,
    ...serverAttributes(baseUrl),
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.output.type': format ? 'json' : 'text',
    ...(stream && { 'gen_ai.request.stream': true }),
    ...(typeof temperature === 'number' && { 'gen_ai.request.temperature': temperature }),
  };
}

function serverAttributes(baseUrl: string): Attributes {
  if (!URL.canParse(baseUrl)) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
}

export function replyAttributes({ model }: ChatRequest, reply: ChatReply): Attributes {
  const { doneReason, tokensIn, tokensOut, loadNs, promptEvalNs, evalNs } = reply;
  return {
    'gen_ai.response.model': reply.model ?? model,
    'gen_ai.usage.input_tokens': tokensIn,
    'gen_ai.usage.output_tokens': tokensOut,
    ...(doneReason && { 'gen_ai.response.finish_reasons': [doneReason] }),
    'ollama_sidecar.load_seconds': loadNs / 1e9,
    'ollama_sidecar.prompt_eval_seconds': promptEvalNs / 1e9,
    'ollama_sidecar.eval_seconds': evalNs / 1e9,
  };
}

/** Why a task failed, in one of few words: its ending, or the code that its error begins with. */
export function failureType(result: TaskResult | undefined, error: string | undefined): string {
  if (result)
    return result.termination_reason === 'final_answer' ? 'checks_failed' : result.termination_reason;
  return /^[a-z_]+/u.exec(error ?? '')?.[0] ?? 'failed';
}

/** Why a call failed, in one of few words. */
export function toolErrorType({ details = {} }: ToolCallResult): string {
  if (details.refused) return 'refused';
  if (details.timedOut) return 'timeout';
  return typeof details.exitCode === 'number' ? 'exit_code' : 'tool_error';
}

export function toolAttributes({ toolCallId, toolName }: ToolCallResult): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName.slice(0, MAX_NAME_CHARS),
    'gen_ai.tool.call.id': toolCallId,
    'gen_ai.tool.type': 'function',
  };
}
