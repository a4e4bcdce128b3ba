/**
 * What the model is asked for drafts. Pure and byte-stable: all drafts of a task share the question, so that the server
 * reads the brief once.
 */
import type { SolvingProfile } from '../model/catalog-schema.ts';
import { CODE_WANTED, FILES_WANTED } from '../prompt/code-answer.ts';
import { HEADINGS } from '../prompt/question-headings.ts';

const WANTED: Readonly<Record<SolvingProfile['form'], string>> = {
  definitions: CODE_WANTED,
  files: FILES_WANTED,
};

/** The whole question: what is shown, the task, and in which form to answer. */
export const draftQuestion = (shown: string, task: string, form: SolvingProfile['form']): string =>
  [shown, task, `# ${HEADINGS.answer}\n${WANTED[form]}`].filter(Boolean).join('\n\n');

/** Shows a draft what came of it and asks for it again, in the same conversation. */
export const repairRequest = (failure: string): string =>
  `Your change was put into the files.\n\n${failure}\n\nSay in one sentence what is wrong with it, then give all that has to change, in full, as before.`;
