/** Keeps a conversation within the model's window: compacts it before it is too long, shortens it when the server says so. */
import { compact } from '../prompt/compaction.ts';
import type { Ending } from '../task/ending.ts';
import type { Stage } from './stage.ts';

export interface Room {
  /** Estimate of what the next request holds. */
  tokens: number;
  /** Even compacted the conversation does not fit. */
  ending?: Ending;
}

/** Compacts the conversation where it has grown past three quarters of the window. */
export function makeRoom({ conversation, model, run }: Stage): Room {
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
 * Shortens a conversation that the server found too long: what was sent is more than really fits, whatever the
 * estimate said. False when nothing more can be shortened.
 */
export function squeeze({ conversation, model, run }: Stage): boolean {
  const { session, estimator } = model;
  const { messages, tools } = conversation.request;
  const sentTokens = estimator.request({ messages, tools });
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
