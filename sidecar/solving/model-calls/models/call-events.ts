/**
 * Emits the calls of a model on the timeline, with the server's own times. The rest of the call's duration is waiting: for a free slot, the
 * server's queue, the network. Pure except for the events.
 */
import type { ChatOutcome, ChatReply } from '../../../model/chat.ts';
import type { CallKind, CallEvents } from '../../../model/model-session.ts';
import type { OnProgress } from '../../../base/ports.ts';
import type { ModelCall } from '../../../base/protocol/events.ts';
import { PromptDetails } from './prompt-details.ts';

/**
 * Returns a function that emits the beginning and the end of each call, and the text between them. `nextId` returns an id that is unique in
 * the task.
 */
export function callEvents(emit: OnProgress, model: string, nextId: () => string): CallEvents {
  const prompts = new PromptDetails();
  return (kind, messages) => {
    const call = { event_type: 'status' as const, model };
    const named = { id: nextId(), kind };
    emit({
      ...call,
      text: `${verbs[kind]} ${model}`,
      model_call: { ...named, phase: 'started' },
      ...(messages && { details: prompts.next(messages) }),
    });
    return {
      wrote: (text) => {
        if (text === '') return;
        emit({ ...call, event_type: 'token', text, model_call: { ...named, phase: 'writing' } });
      },
      ended: (outcome, durationMs) => {
        const times = outcome.ok ? timesOf(outcome.value, durationMs) : {};
        const parts: ModelCall = { ...named, phase: 'finished', ...times };
        emit({
          ...call,
          text: describe(model, parts, outcome, durationMs),
          success: outcome.ok,
          duration_ms: Math.round(durationMs),
          model_call: parts,
        });
      },
    };
  };
}

const verbs: Record<CallKind, string> = { load: 'Loading', answer: 'Asking' };

/** Returns whole milliseconds that add up to the call's duration. */
function timesOf(reply: ChatReply, durationMs: number): Partial<ModelCall> {
  let leftMs = Math.round(durationMs);
  const take = (ns: number): number => {
    const ms = Math.min(leftMs, Math.round(ns / 1e6));
    leftMs -= ms;
    return ms;
  };
  const write_ms = take(reply.evalNs);
  const read_ms = take(reply.promptEvalNs);
  const load_ms = take(reply.loadNs);
  const { tokensIn: tokens_in, tokensOut: tokens_out, readTokens = tokens_in } = reply;
  // If the server reports no cached tokens, tokens that were read too fast count as cached.
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

function describe(model: string, parts: ModelCall, outcome: ChatOutcome, durationMs: number): string {
  const took = `${(durationMs / 1000).toFixed(1)} s`;
  if (!outcome.ok) return `${model} gave no answer after ${took}: ${outcome.failure.code}`;
  if (parts.kind === 'load') return `${model} was loaded in ${took}`;
  return `${model} read ${parts.tokens_in} tokens and wrote ${parts.tokens_out} in ${took}`;
}
