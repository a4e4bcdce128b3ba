/** The model's answers in a run, counted from the session's log of requests. */
import type { ChatReply } from '../model/chat.ts';
import type { ParsedAnswer } from '../answers/result.ts';
import { parseToolCalls } from '../answers/parse-answer.ts';
import type { RecordedExchange, RecordedRequest } from '../session/request-log.ts';
import type { Stretch } from './record.ts';

export interface AnswerCounts {
  calls: number;
  /** Answers that were to call a tool or finish, and could not be read as either. */
  malformed: number;
}

export function countAnswers(exchanges: readonly RecordedExchange[]): AnswerCounts {
  return { calls: exchanges.length, malformed: exchanges.filter(isMalformed).length };
}

function isMalformed({ request, outcome }: RecordedExchange): boolean {
  if (outcome === undefined || request.purpose !== 'agentic') return false;
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call';
  return readAnswerOf(request, outcome.value.message).type === 'malformed';
}

/** An answer as the worker reads it, by what was asked for. */
const readAnswerOf = (request: RecordedRequest, message: ChatReply['message']): ParsedAnswer =>
  parseToolCalls(message, { tools: request.tools ?? null, mode: modeOf(request) });

const modeOf = ({ tools, format }: RecordedRequest): 'native' | 'structured' | 'text' =>
  tools ? 'native' : format ? 'structured' : 'text';

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
