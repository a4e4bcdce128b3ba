/**
 * Checks whether the model may be asked again. If several limits are reached, the first of these applies: cancelled, shutdown, timeout,
 * iterations, budget, context. Also shortens the conversation to fit the model's window.
 */
import { compactConversation } from '../prompt/compaction.ts';
import { createZeroCost } from '../../model/call-cost.ts';
import { createStoppedEnding, type Ending } from '../task/ending.ts';
import { hasTurnsLeft, type Stage } from './stage.ts';
import type { Exhausted, Reservation } from '../run-ports.ts';

/** Number of tokens that is expected for the task's first answer. */
const FIRST_ANSWER_TOKENS = 512;

export interface LimitCheck {
  ending?: Ending;
  /** Reservation in the ledger for the call. It is settled after the call. */
  reservation?: Reservation;
}

/**
 * Checks all limits before a question and compacts the context if needed. `isRecorded`: the answer is already recorded, so it costs
 * nothing.
 */
export function checkLimits(stage: Stage, isRecorded: boolean): LimitCheck {
  if (stage.run.control.stopReason !== undefined) return { ending: createStoppedEnding(stage.run) };
  if (!hasTurnsLeft(stage)) {
    const detail = `iteration limit of ${stage.turns.maxTurns} reached; raise it with metadata.max_iterations (--max-iterations)`;
    return { ending: { reason: 'max_iterations', detail } };
  }
  const context = fitContext(stage);
  if (isRecorded) return { ending: context.ending };
  const budgetCheck = reserveBudget(stage, context.tokens);
  if (budgetCheck.ending || !context.ending) return budgetCheck;
  if (budgetCheck.reservation) stage.run.ledger?.settle(budgetCheck.reservation, createZeroCost());
  return { ending: context.ending };
}

function reserveBudget({ run, model }: Stage, tokensIn: number): LimitCheck {
  const { ledger, task, totals } = run;
  if (!ledger) return {};
  const answerCount = Math.max(totals.iterations, 1);
  const decision = ledger.check({
    taskId: task.task_id,
    model: model.name,
    iteration: totals.iterations + 1,
    tokensIn,
    tokensOut: totals.tokensOut > 0 ? Math.ceil(totals.tokensOut / answerCount) : FIRST_ANSWER_TOKENS,
    budget: task.budget,
  });
  if (decision.ok) return { reservation: decision.reservation };
  const { exhausted } = decision;
  // A retry of the task would exhaust the same budget. Budgets of an hour or a day are renewed.
  const code = exhausted.scope === 'task' ? 'task_budget_exhausted' : undefined;
  return { ending: { reason: 'budget_exhausted', detail: describeExhausted(exhausted), code } };
}

/** Describes an exhausted budget, for example `hour budget of 20000 tokens is exhausted (19400 used); available again at …`. */
function describeExhausted({ scope, unit, limit, used, freesAtMs }: Exhausted): string {
  const freeAgain =
    freesAtMs === undefined ? '' : `; available again at ${new Date(freesAtMs).toISOString()}`;
  return `${scope} budget of ${limit} ${unit.replace('_', ' ')} is exhausted (${used} used)${freeAgain}`;
}

interface ContextCheck {
  /** Estimated tokens of the next request. */
  tokens: number;
  /** Set if the conversation does not fit even after compaction. */
  ending?: Ending;
}

/** Compacts the conversation if it exceeds three quarters of the window. */
function fitContext({ conversation, model, run }: Stage): ContextCheck {
  const { messages, tools } = conversation.request;
  const { windowTokens } = model.session;
  const outcome = compactConversation(messages, { windowTokens, estimator: model.estimator, tools });
  if (!outcome.ok) {
    return { tokens: windowTokens, ending: { reason: 'context_exhausted', detail: outcome.failure.message } };
  }
  const { isCompacted, estimatedTokens } = outcome.value;
  if (isCompacted) {
    conversation.replaceMessages(outcome.value.messages);
    run.emit({
      event_type: 'status',
      text: `Context compacted: older tool results were replaced by summaries (about ${estimatedTokens} of ${windowTokens} tokens in use)`,
    });
  }
  return { tokens: estimatedTokens };
}

/**
 * Shortens a conversation that the server found too long. The sent tokens count as over the limit, whatever the estimate was. Returns false
 * if nothing more can be shortened.
 */
export function shortenConversation({ conversation, model, run }: Stage): boolean {
  const { session, estimator } = model;
  const { messages, tools } = conversation.request;
  const sentTokens = estimator.estimateWithoutMargin({ messages, tools });
  const outcome = compactConversation(messages, {
    windowTokens: Math.min(session.windowTokens, sentTokens),
    estimator,
    tools,
  });
  if (!outcome.ok) return false;
  conversation.replaceMessages(outcome.value.messages);
  run.emit({
    event_type: 'status',
    text: `Context compacted: the model server refused a request of about ${sentTokens} tokens as too long; the request now has about ${outcome.value.estimatedTokens}`,
  });
  return true;
}
