/**
 * One question to the model: allowed by the limits, asked, paid for, added up, and written down. A question that the journal
 * has the answer of gets that. Nothing here rejects for a failure of the model or of its server.
 */
import type { ChatReply, ModelFailure } from '../../model/chat.ts';
import type { AskOutcome } from '../../model/model-session.ts';
import { addSpent, nothingSpent, useOf, type ModelUse, type Spent } from '../../model/spent.ts';
import type { Reservation } from '../../base/ports.ts';
import type { ToolMode } from '../prompt/system-prompt.ts';
import { stoppedEnding, type Ending } from '../task/ending.ts';
import { checkLimits, squeeze } from './check-limits.ts';
import { namedSeed, seedOf } from './seed.ts';
import { nameInTask, type Stage } from './stage.ts';

/** What a question brought, as the journal has it: an answer, or why there is none. */
interface RecordedAnswer {
  /** In which the model was asked. */
  mode: ToolMode;
  /** The server took the conversation only after it was shortened beyond the plan. */
  squeezed?: boolean;
  /** Sums over all tries. */
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  use?: ModelUse;
  reply?: ChatReply;
  /** Missing if the answer was no longer needed. */
  ending?: Ending;
  /** The text of an answer that was cut off. */
  begun?: string;
}

/** `isUnneeded`: the stage's own signal ended the call. */
export type Asked =
  | { ok: true; reply: ChatReply }
  | { ok: false; ending: Ending; begun?: string | undefined; isUnneeded?: boolean };

/** Failures of native calls after which the same is asked for in structured mode. */
const NO_NATIVE_CALLS: Readonly<Record<string, string>> = {
  tools_unsupported: 'the model does not support native tools',
  model_malformed_call: 'the server cannot read the calls that its model writes',
};

/**
 * Asks once for what the conversation holds; a server that refuses tools is asked again in structured mode, one that
 * finds the conversation too long gets a shorter one. What came is in the journal when this resolves, and is taken from
 * there when the task is resumed. Rounds count from 1; the conversation may stay as it is from round to round, for several
 * answers to one question. Rejects only for a failing disk.
 */
export async function ask(stage: Stage, round: number): Promise<Asked> {
  const { journal, control, observer } = stage.run;
  const fact = { kind: 'answer' as const, stage: nameInTask(stage), round };
  const question = { ...fact, kind: 'intent' as const };
  // What the task had used when it asked counts, also if no answer came any more.
  journal.recall(question);
  const limit = checkLimits(stage, journal.has(fact));
  if (limit.ending) return { ok: false, ending: limit.ending };
  const past = journal.recall(fact) as RecordedAnswer | undefined;
  if (past) relive(stage, past);
  else journal.recordSoon(question, null);
  const answer = past ?? (await askServer(stage, limit.reservation));
  const { reply, ending = stoppedEnding(stage.run), begun } = answer;
  // A task that is interrupted asks again when it is resumed.
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

/** Brings the stage to where the answer found it: the mode, the conversation, and the task's figures. */
function relive(stage: Stage, past: RecordedAnswer): void {
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

/** Sends the conversation as it is; what it took is added to `spent`. */
async function send(stage: Stage, spent: Spent): Promise<AskOutcome> {
  const { run, purpose, sampling, signal, endOf, conversation, model } = stage;
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
  return outcome;
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
