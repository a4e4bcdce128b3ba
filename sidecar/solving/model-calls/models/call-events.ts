/**
 * Emits the calls of a model on the timeline, with the server's own times. The rest of a call's duration counts as waiting: for a free
 * slot, in the server's queue, for the network. Pure except for the events.
 */
import type { ChatOutcome, ChatReply } from '../../../model/chat.ts';
import type { CallKind, CallObserver } from '../../../model/model-session.ts';
import type { OnProgress } from '../../../base/ports.ts';
import type { ModelCall } from '../../../base/protocol/events.ts';
import { PromptDetails } from './prompt-details.ts';

/**
 * Returns a function that emits the start and the end of each call, and the text in between. `nextId` returns an id that is unique in the
 * task.
 */
export function createCallEvents(emit: OnProgress, model: string, nextId: () => string): CallObserver {
  const prompts = new PromptDetails();
  return (kind, messages) => {
    const call = { event_type: 'status' as const, model };
    const callFields = { id: nextId(), kind };
    emit({
      ...call,
      text: `${CALL_VERBS[kind]} ${model}`,
      model_call: { ...callFields, phase: 'started' },
      ...(messages && { details: prompts.describeNew(messages) }),
    });
    return {
      onText: (text) => {
        if (text === '') return;
        emit({ ...call, event_type: 'token', text, model_call: { ...callFields, phase: 'writing' } });
      },
      onEnd: (outcome, durationMs) => {
        const times = outcome.ok ? splitDuration(outcome.value, durationMs) : {};
        const parts: ModelCall = { ...callFields, phase: 'finished', ...times };
        emit({
          ...call,
          text: describeCall(model, parts, outcome, durationMs),
          success: outcome.ok,
          duration_ms: Math.round(durationMs),
          model_call: parts,
        });
      },
    };
  };
}

const CALL_VERBS: Record<CallKind, string> = { load: 'Loading', answer: 'Asking' };

/** Splits the call's duration into whole milliseconds that add up to it. */
function splitDuration(reply: ChatReply, durationMs: number): Partial<ModelCall> {
  let leftMs = Math.round(durationMs);
  const takeMs = (ns: number): number => {
    const ms = Math.min(leftMs, Math.round(ns / 1e6));
    leftMs -= ms;
    return ms;
  };
  const write_ms = takeMs(reply.evalNs);
  const read_ms = takeMs(reply.promptEvalNs);
  const load_ms = takeMs(reply.loadNs);
  const { tokensIn: tokens_in, tokensOut: tokens_out, readTokens = tokens_in } = reply;
  // If the server does not report cached tokens, the tokens it did not evaluate count as cached.
  const { tokensCached = readTokens < tokens_in ? tokens_in - readTokens : undefined } = reply;
  return {
    wait_ms: leftMs,
    load_ms,
    read_ms,
    write_ms,
    tokens_in,
    tokens_out,
    ...(tokensCached !== undefined && { tokens_cached: Math.min(tokensCached, tokens_in) }),
  };
}

function describeCall(model: string, parts: ModelCall, outcome: ChatOutcome, durationMs: number): string {
  const duration = `${(durationMs / 1000).toFixed(1)} s`;
  if (!outcome.ok) return `${model} failed after ${duration}: ${outcome.failure.code}`;
  if (parts.kind === 'load') return `${model} was loaded in ${duration}`;
  return `${model} read ${parts.tokens_in} tokens and wrote ${parts.tokens_out} in ${duration}`;
}
