/**
 * The question for drafts. All drafts of a task share it, byte for byte, so that the server reads the
 * brief once. A draft that fails may be shown its own failure and asked for again before the next new one: the model's
 * profile says how many repairs a draft gets. Pure.
 */
import type { SolvingProfile } from '../model/catalog-schema.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { correctionMessage } from '../verification/correction.ts';
import { Conversation } from '../asking/conversation.ts';
import { CODE_WANTED, FILES_WANTED } from '../prompt/code-answer.ts';
import { HEADINGS } from '../prompt/question-headings.ts';
import { passesAll, type Draft } from './draft.ts';

const WANTED: Readonly<Record<SolvingProfile['form'], string>> = {
  definitions: CODE_WANTED,
  files: FILES_WANTED,
};

/** The whole question: what is shown, the task, and in which form to answer. */
export const draftQuestion = (shown: string, task: string, form: SolvingProfile['form']): string =>
  [shown, task, `# ${HEADINGS.answer}\n${WANTED[form]}`].filter(Boolean).join('\n\n');

/** Shows a draft what came of it and asks for it again, in the same conversation. */
const repairRequest = (failure: string): string =>
  `Your change was put into the files.\n\n${failure}\n\nSay in one sentence what is wrong with it, then give all that has to change, in full, as before.`;

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
