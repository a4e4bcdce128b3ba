/**
 * One question to the model: asked, paid for, added up. A round that the journal has answered
 * is answered from there.
 */
import type { ChatReply, ModelFailure } from '../model/chat.ts';
import type { AskOutcome, ChatPurpose, ModelSession } from '../model/model-session.ts';
import { addSpent, nothingSpent, type Spent } from '../model/spent.ts';
import type { Clock, Ledger, Logger, OnProgress, Reservation, RunObserver } from '../ports.ts';
import type { TokenEstimator } from '../prompt/token-estimate.ts';
import type { Task } from '../protocol/task.ts';
import type { Checkpoint, RecordedAnswer } from './checkpoint.ts';
import type { Conversation } from './conversation.ts';
import { squeeze } from './check-limits.ts';
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

/** What all stages of one task that use the same model share. */
export type AskBase = Omit<AskContext, 'conversation' | 'checkpoint'>;

export type Asked = { ok: true; answer: RecordedAnswer } | { ok: false; ending: Ending };

/**
 * Asks once; a server that refuses tools is asked again in structured mode, one that finds the conversation too long
 * gets a shorter one. Never rejects.
 */
export async function askModel(
  context: AskContext,
  round: number,
  reservation: Reservation | undefined,
): Promise<Asked> {
  const past = context.checkpoint.answer(round);
  if (past) return relive(context, past);
  const { outcome, spent, squeezed } = await sendUntilTaken(context);
  const costUsd = settle(context, spent, reservation);
  if (!outcome.ok) return { ok: false, ending: endingOf(context, outcome.failure) };
  const answer: RecordedAnswer = {
    reply: outcome.value,
    mode: context.conversation.mode,
    tokensIn: spent.tokensIn,
    tokensOut: spent.tokensOut,
    costUsd,
    ...(squeezed && { squeezed }),
  };
  countAnswer(context, answer.reply);
  const { content } = answer.reply.message;
  if (content.trim() !== '') context.observer?.said('AGENT', content);
  return { ok: true, answer };
}

/** The round as it was: the answer of the journal, in the mode and with the conversation that it was given to. */
function relive(context: AskContext, past: RecordedAnswer): Asked {
  const { conversation, totals } = context;
  if (past.mode !== conversation.mode) {
    conversation.switchMode(past.mode);
    totals.modeSwitches += 1;
  }
  if (past.squeezed) squeeze(context);
  totals.tokensIn += past.tokensIn;
  totals.tokensOut += past.tokensOut;
  totals.costUsd += past.costUsd;
  countAnswer(context, past.reply);
  return { ok: true, answer: past };
}

async function sendUntilTaken(
  context: AskContext,
): Promise<{ outcome: AskOutcome; spent: Spent; squeezed?: true }> {
  const spent = nothingSpent();
  const sendOnce = async () => {
    const outcome = await send(context);
    addSpent(spent, outcome.spent);
    return outcome;
  };
  let outcome = await sendOnce();
  if (failedWith(outcome, 'tools_unsupported') && context.conversation.mode === 'native') {
    switchToStructured(context, 'the model does not support native tools');
    outcome = await sendOnce();
  }
  if (!failedWith(outcome, 'model_context_exceeded') || !squeeze(context)) return { outcome, spent };
  return { outcome: await sendOnce(), spent, squeezed: true };
}

const failedWith = (outcome: AskOutcome, code: string): boolean =>
  !outcome.ok && outcome.failure.code === code;

function send(context: AskContext): Promise<AskOutcome> {
  const { session, purpose, conversation } = context;
  return session.ask({
    ...conversation.request,
    purpose,
    onDelta: session.streams(purpose) ? tokenEvents(context) : undefined,
  });
}

/** Passes streamed text on as token events. */
function tokenEvents({ emit, model, totals }: AskContext): (delta: { content: string }) => void {
  let tokensSoFar = totals.tokensIn + totals.tokensOut;
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
function settle({ totals, ledger }: AskContext, spent: Spent, reservation: Reservation | undefined): number {
  const costUsd = reservation && ledger ? ledger.settle(reservation, spent).costUsd : 0;
  totals.tokensIn += spent.tokensIn;
  totals.tokensOut += spent.tokensOut;
  totals.costUsd += costUsd;
  return costUsd;
}

/** A call that was cut off by a stop ends with the stop's reason; a prompt that fits no window and all else have their own. */
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
  const isTooLong = failure.code === 'model_context_exceeded';
  return {
    reason: isTooLong ? 'context_exhausted' : 'model_error',
    detail: `${failure.code}: ${failure.message}`,
  };
}
