/** The model's answers in a run, counted from the session's log of requests. */
import { parseToolCalls } from '../answers/parse-answer.ts';
import type { RecordedExchange } from '../session/request-log.ts';

/** Whether an answer that was to call a tool or finish can be read as neither. */
export function isMalformed({ request, outcome }: RecordedExchange): boolean {
  if (outcome === undefined || request.purpose !== 'agentic') return false;
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call';
  const { tools, format } = request;
  // As the worker reads it, by what was asked for.
  const mode = tools ? 'native' : format ? 'structured' : 'text';
  return parseToolCalls(outcome.value.message, { tools: tools ?? null, mode }).type === 'malformed';
}
