/** The model's answers in a run, counted from the session's log of requests. */
import { parseToolCalls } from '../answers/parse-answer.ts';
import type { RecordedExchange } from '../session/request-log.ts';
import type { Stretch } from './record.ts';

/** Whether an answer that was to call a tool or finish can be read as neither. */
export function isMalformed({ request, outcome }: RecordedExchange): boolean {
  if (outcome === undefined || request.purpose !== 'agentic') return false;
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call';
  const { tools, format } = request;
  // As the worker reads it, by what was asked for.
  const mode = tools ? 'native' : format ? 'structured' : 'text';
  return parseToolCalls(outcome.value.message, { tools: tools ?? null, mode }).type === 'malformed';
}

/** When the model was asked, on the run's own clock. */
export function modelStretches(exchanges: readonly RecordedExchange[], startMs: number): Stretch[] {
  return exchanges.flatMap(({ atMs, outcome, number }) => {
    if (!outcome?.ok) return [];
    const { totalNs, tokensIn, tokensOut } = outcome.value;
    const fromMs = atMs - startMs;
    const label = `call ${number}: ${tokensIn} tokens in, ${tokensOut} out`;
    return [{ what: 'model' as const, fromMs, toMs: fromMs + totalNs / 1e6, label }];
  });
}
