/**
 * What the model is asked for drafts. Pure and byte-stable: all drafts of a task share everything but the last
 * paragraph, so that the server reads the brief once.
 */
import { CODE_WANTED, withoutCodeWanted } from '../../prompt/code-answer.ts';
import { HEADINGS } from '../../prompt/question-headings.ts';

/** A small model that is not told which files are meant corrects the tests. */
const shortDiff = (paths: readonly string[]): string =>
  `Which lines of ${paths.join(' or ')} are wrong? The tests are right and stay as they are. Answer with a diff only, as short as can be: one code block that begins with \`\`\`diff, the wrong lines behind - as they are, and what they become behind +. No other lines, no other words.`;

const missingLine = (paths: readonly string[]): string =>
  `Which line is missing in ${paths.join(' or ')}? The tests are right and stay as they are. Answer with a diff only, as short as can be: one code block that begins with \`\`\`diff, and the missing line behind +. No other words.`;

/** The whole question: what is shown, the task, and how to answer, which is by the changed definitions. */
export const draftQuestion = (shown: string, task: string): string =>
  [shown, task, `# ${HEADINGS.answer}\n${CODE_WANTED}`].filter(Boolean).join('\n\n');

/** The same question, to be answered by a short diff of these files; only its last paragraph is another one. */
export const asShortDiff = (question: string, paths: readonly string[]): string =>
  withoutCodeWanted(question) + shortDiff(paths);

/** The same question, to be answered by a line that one of these files lacks. */
export const asMissingLine = (question: string, paths: readonly string[]): string =>
  withoutCodeWanted(question) + missingLine(paths);

interface NamedFunction {
  name: string;
  path: string;
}

/** The same question, to be answered by one function. */
export const asFunction = (question: string, { name, path }: NamedFunction): string =>
  oneFunction(question, `\`${name}\` in ${path} anew`, ' It has to change.');

/** The same question, to be answered by one function that is not there yet. */
export const asNewFunction = (question: string, { name, path }: NamedFunction): string =>
  oneFunction(question, `the new function \`${name}\` of ${path}`);

const oneFunction = (question: string, what: string, note = ''): string =>
  `${withoutCodeWanted(question)}Write ${what}, in full, so that the task is done and the tests pass.${note} One code block, no tests.`;

/** Shows a draft what came of it and asks for it again, in the same conversation. */
export const repairRequest = (failure: string): string =>
  `Your change was put into the files.\n\n${failure}\n\nSay in one sentence what is wrong with it, then give each function, method or constant that has to change, in full, as before.`;
