/**
 * Asks the model one question: checks the limits, sends the request, settles the cost, adds up the usage, and records the answer. A
 * question whose answer is already recorded returns that answer. Failures of the model or its server never reject.
 */
import type { ChatReply, ModelFailure } from '../../model/chat.ts';
import type { AskOutcome } from '../../model/model-session.ts';
import {
  addCost,
  createZeroCost,
  modelUseOf,
  type ModelUse,
  type AttemptCosts,
} from '../../model/call-cost.ts';
import type { ToolMode } from '../prompt/system-prompt.ts';
import { createStoppedEnding, type Ending } from '../task/ending.ts';
import { checkLimits, shortenConversation } from './check-limits.ts';
import { readRequestedSeed, seedOf } from './seed.ts';
import { stageNameInTask, type Stage } from './stage.ts';
import type { Reservation } from '../run-ports.ts';

/** Outcome of a question in the journal: the answer, or the reason why there is none. */
interface RecordedAnswer {
  /** Mode in which the model was asked. */
  mode: ToolMode;
  /** Whether the server accepted the conversation only after another compaction. */
  squeezed?: boolean;
  /** Input tokens of all tries together. */
  tokensIn: number;
  /** Output tokens of all tries together. */
  tokensOut: number;
  /** Costs of all tries together. */
  costUsd: number;
  use?: ModelUse;
  reply?: ChatReply;
  /** Ending, if there is no answer; undefined if the answer was no longer needed. */
  ending?: Ending;
  /** Text of an answer that was cut off. */
  begun?: string;
}

/** Outcome of a question. `isUnneeded`: the signal of the stage ended the call. */
export type QuestionOutcome =
  | { ok: true; reply: ChatReply }
  | { ok: false; ending: Ending; begun?: string | undefined; isUnneeded?: boolean };

/** Failures of native calls after which the question is asked again in structured mode. */
const NATIVE_CALL_FAILURES: Readonly<Record<string, string>> = {
  tools_unsupported: 'the model does not support native tools',
  model_malformed_call: 'the model server cannot parse the tool calls of the model',
};

/**
 * Asks for one answer to the conversation. If the server refuses tools, the question is repeated in structured mode. If the server finds
 * the conversation too long, the question is repeated with a shorter one. The outcome is recorded in the journal, from which a resumed task
 * reads it. Rounds count from 1. Several rounds may share one conversation, for several answers to one question. Rejects only on a storage
 * error.
 */
export async function ask(stage: Stage, round: number): Promise<QuestionOutcome> {
  const { control, observer } = stage.run;
  const { journal } = control;
  const fact = { kind: 'answer' as const, stage: stageNameInTask(stage), round };
  const limitCheck = checkLimits(stage, journal.has(fact));
  if (limitCheck.ending) return { ok: false, ending: limitCheck.ending };
  const recordedAnswer = journal.recall(fact) as RecordedAnswer | undefined;
  if (recordedAnswer) replayAnswer(stage, recordedAnswer);
  const answer = recordedAnswer ?? (await askServer(stage, limitCheck.reservation));
  const { reply, ending = createStoppedEnding(stage.run), begun } = answer;
  // An interrupted task asks again when it is resumed.
  const isInterrupted = !reply && (control.stopReason === 'shutdown' || control.stopReason === 'cancelled');
  await journal.waitUntilSettled();
  if (!recordedAnswer && !isInterrupted) journal.recordSoon({ ...fact, body: answer });
  if (!reply) return { ok: false, ending, begun, isUnneeded: answer.ending === undefined };
  countAnswer(stage, reply);
  if (reply.message.content.trim() !== '') observer?.recordMessage('AGENT', reply.message.content);
  return { ok: true, reply };
}

async function askServer(stage: Stage, reservation: Reservation | undefined): Promise<RecordedAnswer> {
  const { conversation, run, signal } = stage;
  const cost = createZeroCost();
  let outcome = await sendRequest(stage, cost);
  const reason = outcome.ok ? undefined : NATIVE_CALL_FAILURES[outcome.failure.code];
  if (reason !== undefined && conversation.mode === 'native') {
    switchToStructured(stage, reason);
    outcome = await sendRequest(stage, cost);
  }
  const isShortened = hasFailedWith(outcome, 'model_context_exceeded') && shortenConversation(stage);
  if (isShortened) outcome = await sendRequest(stage, cost);
  const costUsd = settleCost(stage, cost, reservation);
  const { tokensIn, tokensOut } = cost;
  const usage = { mode: conversation.mode, tokensIn, tokensOut, costUsd, use: modelUseOf(cost) };
  const record = { ...usage, ...(isShortened && { squeezed: true }) };
  if (outcome.ok) return { ...record, reply: outcome.value };
  const begun = outcome.failure.partial?.content;
  if (signal?.aborted && run.control.stopReason === undefined) return { ...record, begun };
  return { ...record, begun, ending: endingOfFailure(stage, outcome.failure, isShortened) };
}

/** Restores the state of the stage after a recorded answer: the mode, the conversation, and the task's totals. */
function replayAnswer(stage: Stage, recordedAnswer: RecordedAnswer): void {
  const { conversation } = stage;
  const { totals } = stage.run;
  if (recordedAnswer.mode !== conversation.mode) conversation.switchMode(recordedAnswer.mode);
  if (recordedAnswer.squeezed) shortenConversation(stage);
  totals.tokensIn += recordedAnswer.tokensIn;
  totals.tokensOut += recordedAnswer.tokensOut;
  totals.costUsd += recordedAnswer.costUsd;
  if (recordedAnswer.use) totals.addModelUse(recordedAnswer.use);
}

const hasFailedWith = (outcome: AskOutcome, code: string): boolean =>
  !outcome.ok && outcome.failure.code === code;

/** Sends the conversation; adds its usage to `cost`. */
async function sendRequest(stage: Stage, cost: AttemptCosts): Promise<AskOutcome> {
  const { run, purpose, sampling, signal, extractAnswer, conversation, model } = stage;
  const isSeeded = readRequestedSeed(run.task) !== undefined;
  const outcome = await model.session.ask({
    ...conversation.request,
    purpose,
    sampling: isSeeded ? { seed: seedOf(run, 0), ...sampling } : sampling,
    // The session itself observes only the stop of the whole task.
    signal: signal ? AbortSignal.any([run.control.signal, signal]) : run.control.signal,
    extractAnswer,
    // Users see only the answer of a simple task as a stream. Hubs of other vendors show it, too.
    onDelta: purpose === 'simple' ? createTokenEmitter(stage) : undefined,
  });
  addCost(cost, outcome.cost);
  return outcome;
}

/** Returns a function that emits streamed text as token events. */
function createTokenEmitter({ run: { emit, totals }, model }: Stage): (delta: { content: string }) => void {
  let tokensSoFar = totals.tokensIn + totals.tokensOut;
  return ({ content }) => {
    // A server sends about one token per chunk; the exact count comes at the end of the answer.
    tokensSoFar += 1;
    if (content) emit({ event_type: 'token', text: content, tokens_so_far: tokensSoFar, model: model.name });
  };
}

/** Moves the tools from the request into the prompt and emits an event. */
export function switchToStructured({ conversation, run }: Stage, reason: string): void {
  conversation.switchMode('structured');
  run.emit({ event_type: 'status', text: `Switched to structured tool calls: ${reason}` });
}

/** Counts an answer, new or recorded, as an iteration. Updates the token estimate with it. */
function countAnswer({ run, conversation, model }: Stage, reply: ChatReply): void {
  run.totals.iterations += 1;
  run.totals.isEstimated ||= reply.isEstimated === true;
  if (reply.tokensIn > 0 && !reply.isEstimated) model.estimator.learn(conversation.request, reply.tokensIn);
}

/** Adds the usage of a call, including failed tries, to the totals. Settles the ledger's reservation. */
function settleCost({ run }: Stage, cost: AttemptCosts, reservation: Reservation | undefined): number {
  const { totals, ledger } = run;
  const costUsd = reservation && ledger ? ledger.settle(reservation, cost).costUsd : 0;
  totals.tokensIn += cost.tokensIn;
  totals.tokensOut += cost.tokensOut;
  totals.costUsd += costUsd;
  totals.addModelUse(modelUseOf(cost));
  return costUsd;
}

/**
 * Returns the ending for a failed call. If the task was stopped, it is the reason of the stop. If the prompt is too long, it is
 * `context_exhausted`, also if the server refused the shortened prompt (`isShortened`). Otherwise it is `model_error`.
 */
function endingOfFailure(
  { run }: Stage,
  { code, message, httpStatus }: ModelFailure,
  isShortened: boolean,
): Ending {
  if (run.control.stopReason) return createStoppedEnding(run);
  const isTooLong = code === 'model_context_exceeded' || (isShortened && httpStatus === 400);
  return {
    reason: isTooLong ? 'context_exhausted' : 'model_error',
    detail: `${code}: ${message}`,
  };
}
