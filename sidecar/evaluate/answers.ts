/** Counts the malformed answers of a run from the session's request log. */
import { parseToolCalls } from '../answers/parse-answer.ts';
import type { RecordedExchange } from '../session/request-log.ts';

/** Whether an answer is neither a call nor a final answer. */
export function isMalformed({ request, outcome }: RecordedExchange): boolean {
  if (outcome === undefined || request.purpose !== 'agentic') return false;
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call';
  const { tools, format } = request;
  // Parsed in the mode of the request, as the worker does.
  const mode = tools ? 'native' : format ? 'structured' : 'text';
  return parseToolCalls(outcome.value.message, { tools: tools ?? null, mode }).type === 'malformed';
}
