/**
 * A draft that fails may be shown its own failure and asked for again, in the same conversation, before the next new one.
 * Which of the two helps more is a question of the model's size: its profile says how many repairs a draft gets.
 */
import type { VerificationReport } from '../protocol/result.ts';
import { correctionMessage } from '../verification/correction.ts';
import { Conversation } from '../asking/conversation.ts';
import { passesAll, type Draft } from './draft.ts';
import { repairRequest } from './question.ts';

/** The draft that the next answer is to mend; undefined where a new one is due. */
export function draftToMend(earlier: readonly Draft[], repairs: number): Draft | undefined {
  const last = earlier.at(-1);
  if (!last?.report || passesAll(last.report) || last.sameAs !== undefined) return undefined;
  const fresh = earlier.findLastIndex(({ mends }) => mends === undefined);
  return earlier.length - 1 - fresh < repairs ? last : undefined;
}

/** The conversation of the drafts, gone on with the draft's answer and what the checks say of it. */
export function repairConversation(
  question: Conversation,
  { answer, report }: Draft,
  base: VerificationReport | undefined,
): Conversation {
  const conversation = Conversation.copyOf(question);
  conversation.add({ role: 'assistant', content: answer });
  const failure = report ? correctionMessage(report, { previous: base }) : '';
  conversation.add({ role: 'user', content: repairRequest(failure) });
  return conversation;
}
