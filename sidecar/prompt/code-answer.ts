/**
 * An answer in code: how a model is asked for it, and where it ends. A small model writes a whole function better than it
 * calls a tool that edits one.
 */
import type { ChatReply } from '../model/chat.ts';

const FORM = `Say the cause in one or two sentences. Then give each function, method or constant that changes, in full, in one code block that begins with a comment naming its file. Leave out what stays the same; it is kept.`;
const ENDS = { withTests: ' Give the tests that the task asks for, too.', withoutTests: ' No tests.' };

/** What the answer is to hold; it stands last in a question. `wantsTests`: the task is to write or change tests. */
export const codeWanted = (wantsTests: boolean): string =>
  FORM + (wantsTests ? ENDS.withTests : ENDS.withoutTests);

/** A question without its last paragraph, where that asks for code. */
export const withoutCodeWanted = (question: string): string =>
  [codeWanted(true), codeWanted(false)].reduce(
    (text, form) => (text.endsWith(form) ? text.slice(0, -form.length) : text),
    question,
  );

/** What comes after the code says what the code does: no more code follows. */
const CLOSING_WORDS = ['This change', 'These changes', 'The changes', 'With this', 'With these'].map(
  (words) => `\`\`\`\n\n${words}`,
);
const MAX_UNWANTED_FILES = 8;

/** Where an answer in code has said all that is of use. `unwanted`: paths of files that it is not to change. */
export const codeStops = (unwanted: readonly string[]): string[] => [
  ...unwanted.slice(0, MAX_UNWANTED_FILES).flatMap(headingsOf),
  ...CLOSING_WORDS,
];

/** How a small model begins to write out a file, by its path or its bare name. */
const headingsOf = (path: string): string[] =>
  [...new Set([path, path.split('/').at(-1) ?? path])].flatMap((name) => [
    ...['**', '- **', '# ', '// '].map((mark) => `\n${mark}${name}`),
    `\n${name}\n`,
  ]);

const EMPTY_BLOCK = /\n```[\w+#.-]*$/u;

/** The answer with its last code block closed: where it was stopped, the closing fence is part of what it was stopped at. */
export function withClosedBlock(reply: ChatReply): ChatReply {
  const { message, doneReason } = reply;
  const fences = message.content.match(/^```/gmu)?.length ?? 0;
  if (doneReason !== 'stop' || fences % 2 === 0) return reply;
  const content = message.content.trimEnd();
  // Where the heading stood in a block of its own, that block is empty.
  const closed = EMPTY_BLOCK.test(content) ? content.replace(EMPTY_BLOCK, '') : `${content}\n\`\`\`\n`;
  return { ...reply, message: { ...message, content: closed } };
}
