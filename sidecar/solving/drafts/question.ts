/**
 * Builds the question for drafts. All drafts of a task share it byte for byte, so that the server reads the brief once. A failing draft may
 * be repaired before the next new draft: the model gets the failure, at most as often as its profile allows. Pure.
 */
import type { SolvingProfile } from '../../model/catalog-schema.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { buildCorrection } from '../verification/correction.ts';
import { Conversation } from '../model-calls/conversation.ts';
import { CODE_ANSWER_FORM, FILES_ANSWER_FORM } from '../prompt/code-answer.ts';
import { HEADINGS } from '../prompt/question-headings.ts';
import { passesAll, type Draft } from './draft.ts';

const REQUESTED_FORMS: Readonly<Record<SolvingProfile['form'], string>> = {
  definitions: CODE_ANSWER_FORM,
  files: FILES_ANSWER_FORM,
};

/** Renders the question: the shown files, the task, and the form of the answer. */
export const buildDraftQuestion = (shown: string, task: string, form: SolvingProfile['form']): string =>
  [shown, task, `# ${HEADINGS.answer}\n${REQUESTED_FORMS[form]}`].filter(Boolean).join('\n\n');

/** Renders the request for a repair: the outcome of the draft, in the same conversation. */
const buildRepairRequest = (failure: string): string =>
  `Your change was put into the files.\n\n${failure}\n\nSay in one sentence what is wrong with it, then give all that has to change, in full, as before.`;

/** Returns the draft that the next answer should repair; undefined for a new draft. */
export function findDraftToRepair(earlier: readonly Draft[], repairs: number): Draft | undefined {
  const last = earlier.at(-1);
  if (!last?.report || passesAll(last.report) || last.duplicateOf !== undefined) return undefined;
  const fresh = earlier.findLastIndex(({ repairedDraftNumber }) => repairedDraftNumber === undefined);
  return earlier.length - 1 - fresh < repairs ? last : undefined;
}

/** Continues the conversation of the drafts with the draft's answer and the outcome of its checks. */
export function buildRepairConversation(
  question: Conversation,
  { answer, report }: Draft,
  base: VerificationReport | undefined,
): Conversation {
  const conversation = Conversation.copy(question);
  conversation.add({ role: 'assistant', content: answer });
  const failure = report ? buildCorrection(report, { previous: base }) : '';
  conversation.add({ role: 'user', content: buildRepairRequest(failure) });
  return conversation;
}
