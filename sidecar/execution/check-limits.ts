/**
 * The one function that says whether the model may be asked again. Where several limits are
 * met at once the order is cancelled, shutdown, timeout, iterations, budget, context.
 */
import type { Exhausted, Reservation } from '../ports.ts';
import { compact } from '../prompt/compaction.ts';
import type { AskContext } from './ask.ts';
import type { Ending } from './ending.ts';

/** Tokens that an answer is expected to take until this task has shown what it takes. */
const FIRST_ANSWER_TOKENS = 512;

export interface LimitCheck {
  ending?: Ending;
  /** The ledger's reservation for the call, to be settled after it. */
  reservation?: Reservation;
}

/** Checks everything before a call of the model; makes room in the context where that is needed. */
export function checkLimits(context: AskContext, round: number): LimitCheck {
  const { totals, limits } = context;
  if (isStopped(context, round)) return { ending: stopped(context) };
  if (totals.iterations >= limits.maxIterations) {
    return {
      ending: {
        reason: 'max_iterations',
        detail: `iteration limit of ${limits.maxIterations - (limits.iterationsBefore ?? 0)} reached`,
      },
    };
  }
  const room = makeRoom(context);
  // A round that was lived through before is paid for already.
  if (context.checkpoint.hasAnswer(round)) return { ending: room.ending };
  const money = reserve(context, room.tokens);
  if (money.ending || !room.ending) return money;
  if (money.reservation) context.ledger?.settle(money.reservation, NOTHING);
  return { ending: room.ending };
}

/**
 * A task whose time had run out in an earlier life lives through what it did then, so that its result tells of it; with
 * its last round everything that would be new is cut off.
 */
function isStopped({ control, checkpoint }: AskContext, round: number): boolean {
  if (control.stopReason !== 'timeout' || !checkpoint.hasAnswer(round)) {
    return control.stopReason !== undefined;
  }
  if (!checkpoint.hasAnswer(round + 1)) control.stop('timeout');
  return false;
}

function stopped({ control, limits }: AskContext): Ending {
  const reason = control.stopReason ?? 'cancelled';
  const details = {
    cancelled: 'cancelled by the hub',
    shutdown: 'the worker is shutting down',
    timeout: `wall clock of ${Math.round(limits.timeoutMs / 1000)} s is over`,
  };
  return { reason, detail: details[reason] };
}

const NOTHING = { tokensIn: 0, tokensOut: 0, totalNs: 0, loadNs: 0, promptEvalNs: 0, evalNs: 0 };

interface Room {
  tokens: number;
  ending?: Ending;
}

/** Compacts the conversation where it has grown past three quarters of the window. */
function makeRoom(context: AskContext): Room {
  const { conversation, session, estimator } = context;
  const { messages, tools } = conversation.request;
  const { windowTokens } = session;
  const outcome = compact(messages, { windowTokens, estimator, tools });
  if (!outcome.ok) {
    return { tokens: windowTokens, ending: { reason: 'context_exhausted', detail: outcome.failure.message } };
  }
  const { compacted, estimatedTokens } = outcome.value;
  if (compacted) {
    conversation.replaceMessages(outcome.value.messages);
    context.emit({
      event_type: 'status',
      text: `Context compacted: older tool results became summaries (about ${estimatedTokens} of ${windowTokens} tokens in use)`,
    });
  }
  return { tokens: estimatedTokens };
}

/**
 * Shortens a conversation that the server found too long: what was sent is more than really fits, whatever the
 * estimate said. False when nothing more can be shortened.
 */
export function squeeze({ conversation, session, estimator, emit }: AskContext): boolean {
  const { messages, tools } = conversation.request;
  const sentTokens = estimator.request({ messages, ...(tools ? { tools } : {}) });
  const outcome = compact(messages, {
    windowTokens: Math.min(session.windowTokens, sentTokens),
    estimator,
    tools,
  });
  if (!outcome.ok) return false;
  conversation.replaceMessages(outcome.value.messages);
  emit({
    event_type: 'status',
    text: `Context compacted: the server found about ${sentTokens} tokens too long, ${outcome.value.estimatedTokens} are left`,
  });
  return true;
}

function reserve(context: AskContext, tokensIn: number): LimitCheck {
  const { ledger, task, totals } = context;
  if (!ledger) return {};
  const answered = Math.max(totals.iterations, 1);
  const answer = ledger.check({
    taskId: task.task_id,
    model: context.model,
    iteration: totals.iterations + 1,
    tokensIn,
    tokensOut: totals.tokensOut > 0 ? Math.ceil(totals.tokensOut / answered) : FIRST_ANSWER_TOKENS,
    budget: task.budget,
  });
  if (answer.ok) return { reservation: answer.reservation };
  return { ending: { reason: 'budget_exhausted', detail: describeExhausted(answer.exhausted) } };
}

/** `budget per hour of 20000 tokens is used up (19 400 used), free again at …`. */
export function describeExhausted(exhausted: Exhausted): string {
  const { scope, unit, limit, used, freesAtMs } = exhausted;
  const frees = freesAtMs === undefined ? '' : `; free again at ${new Date(freesAtMs).toISOString()}`;
  return `${scope} budget of ${limit} ${unit.replace('_', ' ')} is exhausted (${used} used)${frees}`;
}
