/**
 * A line draft: one line is given as the wrong one, and the model writes what it becomes. The answer is begun for it, as a
 * diff whose removed line stands there already, so that it is a few tokens long and cannot copy the code as it is. All
 * line drafts share the question of the short diffs, which the server has read.
 */
import { newProblems } from '../../definitions/index.ts';
import type { PlacedFile } from '../../placing/index.ts';
import type { ChatReply } from '../../model/chat.ts';
import type { Draft } from './draft.ts';
import type { SuspectLine } from './suspect-lines.ts';

/** Of the answer behind the indentation; more than a few lines are no correction of one. */
export const MAX_LINE_TOKENS = 100;
/** The answer ends with the diff's block, or where the diff goes on with other lines. */
export const LINE_STOPS = ['```', '\n-', '\n '];

/** The answer as it is begun for the model. */
export const begunAnswer = ({ text }: SuspectLine): string => `\`\`\`diff\n-${text}\n+${indentOf(text)}`;

/** The file with the answer's lines in place of the given one. `before`: the file as it is. */
export async function readLineDraft(
  number: number,
  at: SuspectLine,
  { reply, before }: { reply: Pick<ChatReply, 'message' | 'doneReason'>; before: string },
): Promise<Draft> {
  const answer = begunAnswer(at) + reply.message.content;
  const after = withLine(before, at, reply.message.content);
  const draft: Draft = { number, at, files: [], reason: '', answer };
  if (reply.doneReason === 'length')
    return { ...draft, rejected: 'the answer was cut off at the length limit' };
  if (after === undefined) return { ...draft, rejected: 'the answer holds no change' };
  const [problem] = await newProblems(at.path, before, after);
  if (problem) return { ...draft, rejected: `it does not parse (${at.path}, line ${problem.line})` };
  const file: PlacedFile = { path: at.path, before, after };
  return { ...draft, files: [file] };
}

/** Undefined where nothing becomes another, white space aside: an empty answer says nothing. */
function withLine(before: string, { line, text }: SuspectLine, content: string): string | undefined {
  const [first = '', ...more] = content.trim().split(/\r?\n/u);
  if (first === '') return undefined;
  const added = [
    indentOf(text) + first.trimEnd(),
    ...more.filter((next) => next.startsWith('+')).map((next) => next.slice(1).trimEnd()),
  ];
  const lines = before.split('\n');
  const lineEnd = lines[line - 1]?.endsWith('\r') ? '\r' : '';
  lines.splice(line - 1, 1, ...added.map((next) => next + lineEnd));
  const after = lines.join('\n');
  return after.replaceAll(/\s/gu, '') === before.replaceAll(/\s/gu, '') ? undefined : after;
}

const indentOf = (text: string): string => /^\s*/u.exec(text)?.[0] ?? '';
