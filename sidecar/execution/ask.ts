/**
 * One question to the model: asked, paid for, added up (agent.md, The loop). A round that the journal has answered
 * is answered from there.
 */
import type { ChatReply, ModelFailure } from '../model/chat.ts';
import type { AskOutcome, ChatPurpose, ModelSession } from '../model/model-session.ts';
import type { Spent } from '../model/spent.ts';
import type { Clock, Ledger, Logger, OnProgress, Reservation, RunObserver } from '../ports.ts';
import type { TokenEstimator } from '../prompt/token-estimate.ts';
import type { Task } from '../protocol/task.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunTotals } from './run-totals.ts';
import type { TaskControl } from './task-control.ts';

/** What asking needs; the loop's context is one of these. */
export interface AskContext {
  task: Task;
  model: string;
  purpose: ChatPurpose;
  session: ModelSession;
  conversation: Conversation;
  checkpoint: Checkpoint;
  estimator: TokenEstimator;
  control: TaskControl;
  limits: RunLimits;
  totals: RunTotals;
  ledger?: Ledger;
  clock: Clock;
  logger: Logger;
  emit: OnProgress;
  /** Hears what is new; a round that the journal has was heard before. */
  observer?: RunObserver;
}

export type Asked = { ok: true; reply: ChatReply } | { ok: false; ending: Ending };

/** Asks once; a server that refuses tools is asked again in structured mode. Never rejects. */
export async function askModel(
  context: AskContext,
  round: number,
  reservation: Reservation | undefined,
): Promise<Asked> {
  const past = context.checkpoint.answer(round);
  if (past) {
    context.totals.tokensIn += past.tokensIn;
    context.totals.tokensOut += past.tokensOut;
    countAnswer(context, past);
    return { ok: true, reply: past };
  }
  let outcome = await send(context);
  if (!outcome.ok && outcome.failure.code === 'tools_unsupported' && context.conversation.mode === 'native') {
    switchToStructured(context, 'the model does not support native tools');
    outcome = await send(context);
  }
  settle(context, outcome.spent, reservation);
  if (!outcome.ok) return { ok: false, ending: endingOf(context, outcome.failure) };
  countAnswer(context, outcome.value);
  const { content } = outcome.value.message;
  if (content.trim() !== '') context.observer?.said('AGENT', content);
  return { ok: true, reply: outcome.value };
}

function send(context: AskContext): Promise<AskOutcome> {
  const { session, purpose, conversation } = context;
  return session.ask({
    ...conversation.request,
    purpose,
    onDelta: session.streams(purpose) ? tokenEvents(context) : undefined,
  });
}

/** Passes streamed text on as token events. */
function tokenEvents({ emit, model }: AskContext): (delta: { content: string }) => void {
  let tokensSoFar = 0;
  return ({ content }) => {
    // A server sends about one token a chunk; the exact count comes with the end of the answer.
    tokensSoFar += 1;
    if (content) emit({ event_type: 'token', text: content, tokens_so_far: tokensSoFar, model });
  };
}

/** Moves the tools from the request into the prompt; an event tells of it and the totals count it. */
export function switchToStructured(context: AskContext, why: string): void {
  context.conversation.switchMode('structured');
  context.totals.modeSwitches += 1;
  context.emit({ event_type: 'status', text: `Switched to structured tool calls: ${why}` });
}

/** An answer, new or remembered, is an iteration and teaches the estimator. */
function countAnswer({ totals, conversation, estimator }: AskContext, reply: ChatReply): void {
  totals.iterations += 1;
  if (reply.tokensIn > 0) estimator.learn(conversation.request, reply.tokensIn);
}

/** Adds up what the call cost, failed tries included, and settles the ledger's reservation with it. */
function settle({ totals, ledger }: AskContext, spent: Spent, reservation: Reservation | undefined): void {
  totals.tokensIn += spent.tokensIn;
  totals.tokensOut += spent.tokensOut;
  if (reservation && ledger) totals.costUsd += ledger.settle(reservation, spent).costUsd;
}

/** A call that was cut off by a stop ends with the stop's reason, every other failure with `model_error`. */
function endingOf({ control, limits }: AskContext, failure: ModelFailure): Ending {
  const reason = control.stopReason;
  if (reason === 'timeout') {
    return { reason, detail: `wall clock of ${Math.round(limits.timeoutMs / 1000)} s is over` };
  }
  if (reason)
    return {
      reason,
      detail: reason === 'cancelled' ? 'cancelled by the hub' : 'the worker is shutting down',
    };
  return { reason: 'model_error', detail: failure.message };
}
