/**
 * A simple task: one streamed answer, no tools. The same limits, ledger and journal hold as in
 * the loop.
 */
import { askModel, type AskContext } from './ask.ts';
import { checkLimits } from './check-limits.ts';
import type { Ending } from './ending.ts';

/** Asks once and ends. Rejects only for bugs and a failing disk. */
export async function runSingleShot(context: AskContext): Promise<Ending> {
  const [question] = context.checkpoint.hasAnswer(1) ? [] : context.conversation.messages.slice(-1);
  if (question) context.observer?.said('USER', question.content);
  const limit = checkLimits(context, 1);
  if (limit.ending) return limit.ending;
  const asked = await askModel(context, 1, limit.reservation);
  if (!asked.ok) return asked.ending;
  context.observer?.roundEnded();
  const { checkpoint, conversation, totals } = context;
  if (!checkpoint.hasAnswer(1)) await checkpoint.recordAnswer(1, asked.answer);
  const { reply } = asked.answer;
  const content = reply.message.content.trim();
  if (content === '') return { reason: 'nudge_exhausted', detail: 'the model gave an empty answer' };
  totals.lastText = content;
  if (reply.doneReason === 'length') {
    context.emit({ event_type: 'status', text: 'Warning: the answer was cut off at the length limit' });
  }
  conversation.addAnswer(reply, { type: 'final_answer', content });
  return { reason: 'final_answer', output: content };
}
