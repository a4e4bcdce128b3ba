/**
 * Checks whether the model may be asked again. If several limits are reached, the order is: cancelled, shutdown, timeout, iterations,
 * budget, context. The conversation is also limited to the model's window here.
 */
import { compact } from '../prompt/compaction.ts';
import { nothingSpent } from '../../model/spent.ts';
import { stoppedEnding, type Ending } from '../task/ending.ts';
import { hasTurnsLeft, type Stage } from './stage.ts';
import type { Exhausted, Reservation } from '../run-ports.ts';

/** Expected tokens of an answer until the task has had one. */
const FIRST_ANSWER_TOKENS = 512;

export interface LimitCheck {
  ending?: Ending;
  /** Reservation in the ledger for the call, settled after it. */
  reservation?: Reservation;
}

/** Checks all limits before a question; compacts the context if needed. `isPaid`: the answer is recorded already. */
export function checkLimits(stage: Stage, isPaid: boolean): LimitCheck {
  if (stage.run.control.stopReason !== undefined) return { ending: stoppedEnding(stage.run) };
  if (!hasTurnsLeft(stage)) {
    const detail = `iteration limit of ${stage.turns.allowed} reached; metadata.max_iterations (--max-iterations) raises it`;
    return { ending: { reason: 'max_iterations', detail } };
  }
  const room = makeRoom(stage);
  if (isPaid) return { ending: room.ending };
  const money = reserve(stage, room.tokens);
  if (money.ending || !room.ending) return money;
  if (money.reservation) stage.run.ledger?.settle(money.reservation, nothingSpent());
  return { ending: room.ending };
}

function reserve({ run, model }: Stage, tokensIn: number): LimitCheck {
  const { ledger, task, totals } = run;
  if (!ledger) return {};
  const answered = Math.max(totals.iterations, 1);
  const answer = ledger.check({
    taskId: task.task_id,
    model: model.name,
    iteration: totals.iterations + 1,
    tokensIn,
    tokensOut: totals.tokensOut > 0 ? Math.ceil(totals.tokensOut / answered) : FIRST_ANSWER_TOKENS,
    budget: task.budget,
  });
  if (answer.ok) return { reservation: answer.reservation };
  const { exhausted } = answer;
  // A retry of the task would exhaust the same budget; budgets of an hour or a day start again.
  const code = exhausted.scope === 'task' ? 'task_budget_exhausted' : undefined;
  return { ending: { reason: 'budget_exhausted', detail: describeExhausted(exhausted), code } };
}

/** Describes an exhausted budget, such as `hour budget of 20000 tokens is exhausted (19400 used); free again at …`. */
function describeExhausted({ scope, unit, limit, used, freesAtMs }: Exhausted): string {
  const frees = freesAtMs === undefined ? '' : `; free again at ${new Date(freesAtMs).toISOString()}`;
  return `${scope} budget of ${limit} ${unit.replace('_', ' ')} is exhausted (${used} used)${frees}`;
}

interface ContextCheck {
  /** Estimated tokens of the next request. */
  tokens: number;
  /** Set if the conversation does not fit even after compaction. */
  ending?: Ending;
}

/** Compacts the conversation if it exceeds three quarters of the window. */
function makeRoom({ conversation, model, run }: Stage): ContextCheck {
  const { messages, tools } = conversation.request;
  const { windowTokens } = model.session;
  const outcome = compact(messages, { windowTokens, estimator: model.estimator, tools });
  if (!outcome.ok) {
    return { tokens: windowTokens, ending: { reason: 'context_exhausted', detail: outcome.failure.message } };
  }
  const { compacted, estimatedTokens } = outcome.value;
  if (compacted) {
    conversation.replaceMessages(outcome.value.messages);
    run.emit({
      event_type: 'status',
      text: `Context compacted: older tool results became summaries (about ${estimatedTokens} of ${windowTokens} tokens in use)`,
    });
  }
  return { tokens: estimatedTokens };
}

/**
 * Shortens a conversation that the server found too long: the sent tokens exceed the real limit, whatever the estimate was. Returns false
 * if nothing more can be shortened.
 */
export function squeeze({ conversation, model, run }: Stage): boolean {
  const { session, estimator } = model;
  const { messages, tools } = conversation.request;
  const sentTokens = estimator.likely({ messages, tools });
  const outcome = compact(messages, {
    windowTokens: Math.min(session.windowTokens, sentTokens),
    estimator,
    tools,
  });
  if (!outcome.ok) return false;
  conversation.replaceMessages(outcome.value.messages);
  run.emit({
    event_type: 'status',
    text: `Context compacted: the server found about ${sentTokens} tokens too long, ${outcome.value.estimatedTokens} are left`,
  });
  return true;
}
