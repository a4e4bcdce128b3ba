/**
 * One question to the model: allowed by the limits, asked, paid for, added up. A round that the journal has answered is
 * answered from there. Nothing here rejects for a failure of the model or of its server.
 */
import type { ChatReply, ModelFailure } from '../model/chat.ts';
import type { AskOutcome } from '../model/model-session.ts';
import { addSpent, nothingSpent, useOf, type Spent } from '../model/spent.ts';
import type { Reservation } from '../ports.ts';
import type { RecordedAnswer } from '../task/checkpoint.ts';
import { stoppedEnding, type Ending } from '../task/ending.ts';
import { checkLimits, squeeze } from './check-limits.ts';
import { namedSeed, seedOf } from './seed.ts';
import type { Stage } from './stage.ts';

/** `begun`: the text of an answer that was cut off; it is in no journal. */
export type Asked = { ok: true; answer: RecordedAnswer } | { ok: false; ending: Ending; begun?: string };

/** Failures of native calls after which the same is asked for in structured mode. */
const NO_NATIVE_CALLS: Readonly<Record<string, string>> = {
  tools_unsupported: 'the model does not support native tools',
  model_malformed_call: 'the server cannot read the calls that its model writes',
};

/**
 * Asks once for what the conversation holds; a server that refuses tools is asked again in structured mode, one that
 * finds the conversation too long gets a shorter one. The answer is not in the journal yet: whoever acts on it writes it
 * there first, together with what it is about to do.
 */
export async function ask(stage: Stage, round: number): Promise<Asked> {
  const { conversation, checkpoint, run } = stage;
  const limit = checkLimits(stage, round);
  if (limit.ending) return { ok: false, ending: limit.ending };
  const past = checkpoint.answer(round);
  if (past) return relive(stage, past);
  const spent = nothingSpent();
  let outcome = await send(stage, spent);
  const why = outcome.ok ? undefined : NO_NATIVE_CALLS[outcome.failure.code];
  if (why !== undefined && conversation.mode === 'native') {
    switchToStructured(stage, why);
    outcome = await send(stage, spent);
  }
  const isSqueezed = failedWith(outcome, 'model_context_exceeded') && squeeze(stage);
  if (isSqueezed) outcome = await send(stage, spent);
  const costUsd = settle(stage, spent, limit.reservation);
  if (!outcome.ok) {
    const { failure } = outcome;
    return { ok: false, ending: failedEnding(stage, failure, isSqueezed), begun: failure.partial?.content };
  }
  const reply = outcome.value;
  countAnswer(stage, reply);
  if (reply.message.content.trim() !== '') run.observer?.said('AGENT', reply.message.content);
  const { tokensIn, tokensOut } = spent;
  const used = { mode: conversation.mode, tokensIn, tokensOut, costUsd, use: useOf(spent) };
  return { ok: true, answer: { reply, ...used, ...(isSqueezed && { squeezed: true }) } };
}

/**
 * The same, and writes the answer down at once: for answers that run no tools. Rounds count from 1; the conversation may
 * stay as it is from round to round, for several answers to one question. Rejects only for a failing disk.
 */
export async function askAndRecord(stage: Stage, round: number): Promise<Asked> {
  const { checkpoint } = stage;
  const asked = await ask(stage, round);
  if (asked.ok && !checkpoint.hasAnswer(round)) await checkpoint.recordAnswer(round, asked.answer);
  return asked;
}

/** The round as it was: the answer of the journal, in the mode and with the conversation that it was given to. */
function relive(stage: Stage, past: RecordedAnswer): Asked {
  const { conversation } = stage;
  const { totals } = stage.run;
  if (past.mode !== conversation.mode) conversation.switchMode(past.mode);
  if (past.squeezed) squeeze(stage);
  totals.tokensIn += past.tokensIn;
  totals.tokensOut += past.tokensOut;
  totals.costUsd += past.costUsd;
  if (past.use) totals.addUse(past.use);
  countAnswer(stage, past.reply);
  return { ok: true, answer: past };
}

const failedWith = (outcome: AskOutcome, code: string): boolean =>
  !outcome.ok && outcome.failure.code === code;

/** Sends the conversation as it is; what it took is added to `spent`. */
async function send(stage: Stage, spent: Spent): Promise<AskOutcome> {
  const { run, purpose, sampling, signal, endOf, conversation, model } = stage;
  const freshShare = model.sent.add(conversation.request);
  const isSeeded = namedSeed(run.task) !== undefined;
  const outcome = await model.session.ask({
    ...conversation.request,
    purpose,
    sampling: isSeeded ? { seed: seedOf(run, 0), ...sampling } : sampling,
    // The models know when the task stops, not when this part of it does.
    signal: signal ? AbortSignal.any([run.control.signal, signal]) : run.control.signal,
    endOf,
    // The answer of a simple task is what people wait for; hubs of other makers show it, too.
    onDelta: purpose === 'simple' ? tokenEvents(stage) : undefined,
  });
  addSpent(spent, outcome.spent);
  if (outcome.ok) learnReading(stage, outcome.value, freshShare);
  return outcome;
}

/** The first call of a task shows how fast the server reads; a later one only what was new to it. */
function learnReading({ run, model }: Stage, reply: ChatReply, freshShare: number): void {
  const { tokensIn, tokensCached, promptEvalNs, isEstimated } = reply;
  if (isEstimated) return;
  const isTold = tokensCached !== undefined;
  const promptTokens = isTold ? tokensIn - tokensCached : tokensIn;
  const freshTokens = isTold ? promptTokens : Math.round(tokensIn * freshShare);
  run.prefillRates?.learn(model.name, { promptTokens, freshTokens, promptEvalNs });
}

/** Passes streamed text on as token events. */
function tokenEvents({ run: { emit, totals }, model }: Stage): (delta: { content: string }) => void {
  let tokensSoFar = totals.tokensIn + totals.tokensOut;
  return ({ content }) => {
    // A server sends about one token a chunk; the exact count comes with the end of the answer.
    tokensSoFar += 1;
    if (content) emit({ event_type: 'token', text: content, tokens_so_far: tokensSoFar, model: model.name });
  };
}

/** Moves the tools from the request into the prompt and shows it as an event. */
export function switchToStructured({ conversation, run }: Stage, why: string): void {
  conversation.switchMode('structured');
  run.emit({ event_type: 'status', text: `Switched to structured tool calls: ${why}` });
}

/** An answer, new or remembered, is an iteration and teaches the estimator. */
function countAnswer({ run, conversation, model }: Stage, reply: ChatReply): void {
  run.totals.iterations += 1;
  run.totals.isEstimated ||= reply.isEstimated === true;
  if (reply.tokensIn > 0 && !reply.isEstimated) model.estimator.learn(conversation.request, reply.tokensIn);
}

/** Adds up what the call cost, failed tries included, and settles the ledger's reservation with it. */
function settle({ run }: Stage, spent: Spent, reservation: Reservation | undefined): number {
  const { totals, ledger } = run;
  const costUsd = reservation && ledger ? ledger.settle(reservation, spent).costUsd : 0;
  totals.tokensIn += spent.tokensIn;
  totals.tokensOut += spent.tokensOut;
  totals.costUsd += costUsd;
  totals.addUse(useOf(spent));
  return costUsd;
}

/**
 * Returns the ending for a failed call: the stop's reason if a stop cut it off, its own for a prompt that fits no window,
 * which a refusal of the shortened one (`isSqueezed`) shows as well.
 */
function failedEnding(
  { run }: Stage,
  { code, message, httpStatus }: ModelFailure,
  isSqueezed: boolean,
): Ending {
  if (run.control.stopReason) return stoppedEnding(run);
  const isTooLong = code === 'model_context_exceeded' || (isSqueezed && httpStatus === 400);
  return {
    reason: isTooLong ? 'context_exhausted' : 'model_error',
    detail: `${code}: ${message}`,
  };
}
