/**
 * Asks the model one question: checks the limits, sends the request, settles its cost, adds up its usage, and records the answer. A
 * question with a recorded answer gets that answer. Failures of the model or its server never reject.
 */
import type { ChatReply, ModelFailure } from '../../model/chat.ts';
import type { AskOutcome } from '../../model/model-session.ts';
import { addSpent, nothingSpent, useOf, type ModelUse, type Spent } from '../../model/spent.ts';
import type { ToolMode } from '../prompt/system-prompt.ts';
import { stoppedEnding, type Ending } from '../task/ending.ts';
import { checkLimits, squeeze } from './check-limits.ts';
import { namedSeed, seedOf } from './seed.ts';
import { nameInTask, type Stage } from './stage.ts';
import type { Reservation } from '../run-ports.ts';

/** Outcome of a question in the journal: an answer, or the reason why there is none. */
interface RecordedAnswer {
  /** Mode in which the model was asked. */
  mode: ToolMode;
  /** Whether the server accepted the conversation only after an extra compaction. */
  squeezed?: boolean;
  /** Sums over all tries. */
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  use?: ModelUse;
  reply?: ChatReply;
  /** Undefined if the answer was no longer needed. */
  ending?: Ending;
  /** Text of an answer that was cut off. */
  begun?: string;
}

/** Outcome of a question. `isUnneeded`: the stage's own signal ended the call. */
export type QuestionOutcome =
  | { ok: true; reply: ChatReply }
  | { ok: false; ending: Ending; begun?: string | undefined; isUnneeded?: boolean };

/** Failures of native calls after which the question is asked again in structured mode. */
const NO_NATIVE_CALLS: Readonly<Record<string, string>> = {
  tools_unsupported: 'the model does not support native tools',
  model_malformed_call: 'the server cannot read the calls that its model writes',
};

/**
 * Asks for one answer to the conversation. A server that refuses tools is asked again in structured mode; a server that finds the
 * conversation too long gets a shorter one. The outcome is in the journal when this resolves, and is read from there when the task is
 * resumed. Rounds count from 1. The conversation may be the same in several rounds, for several answers to one question. Rejects only on a
 * storage error.
 */
export async function ask(stage: Stage, round: number): Promise<QuestionOutcome> {
  const { journal, control, observer } = stage.run;
  const fact = { kind: 'answer' as const, stage: nameInTask(stage), round };
  const question = { ...fact, kind: 'intent' as const };
  // Restores the used time at the time of the question, also if there was no answer.
  journal.recall(question);
  const limit = checkLimits(stage, journal.has(fact));
  if (limit.ending) return { ok: false, ending: limit.ending };
  const past = journal.recall(fact) as RecordedAnswer | undefined;
  if (past) replayAnswer(stage, past);
  else journal.recordSoon(question, null);
  const answer = past ?? (await askServer(stage, limit.reservation));
  const { reply, ending = stoppedEnding(stage.run), begun } = answer;
  // An interrupted task asks again when it is resumed.
  const isInterrupted = !reply && (control.stopReason === 'shutdown' || control.stopReason === 'cancelled');
  await journal.settled();
  if (!past && !isInterrupted) journal.recordSoon(fact, answer);
  if (!reply) return { ok: false, ending, begun, isUnneeded: answer.ending === undefined };
  countAnswer(stage, reply);
  if (reply.message.content.trim() !== '') observer?.said('AGENT', reply.message.content);
  return { ok: true, reply };
}

async function askServer(stage: Stage, reservation: Reservation | undefined): Promise<RecordedAnswer> {
  const { conversation, run, signal } = stage;
  const spent = nothingSpent();
  let outcome = await send(stage, spent);
  const why = outcome.ok ? undefined : NO_NATIVE_CALLS[outcome.failure.code];
  if (why !== undefined && conversation.mode === 'native') {
    switchToStructured(stage, why);
    outcome = await send(stage, spent);
  }
  const isSqueezed = failedWith(outcome, 'model_context_exceeded') && squeeze(stage);
  if (isSqueezed) outcome = await send(stage, spent);
  const costUsd = settle(stage, spent, reservation);
  const { tokensIn, tokensOut } = spent;
  const used = { mode: conversation.mode, tokensIn, tokensOut, costUsd, use: useOf(spent) };
  const asked = { ...used, ...(isSqueezed && { squeezed: true }) };
  if (outcome.ok) return { ...asked, reply: outcome.value };
  const begun = outcome.failure.partial?.content;
  if (signal?.aborted && run.control.stopReason === undefined) return { ...asked, begun };
  return { ...asked, begun, ending: failedEnding(stage, outcome.failure, isSqueezed) };
}

/** Restores the state of the stage after a recorded answer: the mode, the conversation, and the task's totals. */
function replayAnswer(stage: Stage, past: RecordedAnswer): void {
  const { conversation } = stage;
  const { totals } = stage.run;
  if (past.mode !== conversation.mode) conversation.switchMode(past.mode);
  if (past.squeezed) squeeze(stage);
  totals.tokensIn += past.tokensIn;
  totals.tokensOut += past.tokensOut;
  totals.costUsd += past.costUsd;
  if (past.use) totals.addUse(past.use);
}

const failedWith = (outcome: AskOutcome, code: string): boolean =>
  !outcome.ok && outcome.failure.code === code;

/** Sends the conversation; adds its usage to `spent`. */
async function send(stage: Stage, spent: Spent): Promise<AskOutcome> {
  const { run, purpose, sampling, signal, endOf, conversation, model } = stage;
  const isSeeded = namedSeed(run.task) !== undefined;
  const outcome = await model.session.ask({
    ...conversation.request,
    purpose,
    sampling: isSeeded ? { seed: seedOf(run, 0), ...sampling } : sampling,
    // The session observes only stops of the whole task.
    signal: signal ? AbortSignal.any([run.control.signal, signal]) : run.control.signal,
    endOf,
    // Only the answer of a simple task is streamed to users; hubs of other vendors show it, too.
    onDelta: purpose === 'simple' ? tokenEvents(stage) : undefined,
  });
  addSpent(spent, outcome.spent);
  return outcome;
}

/** Returns a function that emits streamed text as token events. */
function tokenEvents({ run: { emit, totals }, model }: Stage): (delta: { content: string }) => void {
  let tokensSoFar = totals.tokensIn + totals.tokensOut;
  return ({ content }) => {
    // A server sends about one token per chunk; the exact count comes at the end of the answer.
    tokensSoFar += 1;
    if (content) emit({ event_type: 'token', text: content, tokens_so_far: tokensSoFar, model: model.name });
  };
}

/** Moves the tools from the request into the prompt and emits an event. */
export function switchToStructured({ conversation, run }: Stage, why: string): void {
  conversation.switchMode('structured');
  run.emit({ event_type: 'status', text: `Switched to structured tool calls: ${why}` });
}

/** Counts an answer, new or recorded, as an iteration, and updates the estimator. */
function countAnswer({ run, conversation, model }: Stage, reply: ChatReply): void {
  run.totals.iterations += 1;
  run.totals.isEstimated ||= reply.isEstimated === true;
  if (reply.tokensIn > 0 && !reply.isEstimated) model.estimator.learn(conversation.request, reply.tokensIn);
}

/** Adds the usage of a call to the totals, failed tries included, and settles the ledger's reservation. */
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
 * Returns the ending for a failed call: the reason of the stop if there was one, `context_exhausted` for a prompt that is too long (also if
 * the server refuses the shortened prompt, `isSqueezed`), else `model_error`.
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
