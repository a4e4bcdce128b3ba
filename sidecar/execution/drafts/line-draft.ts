/**
 * A line draft: one line is given as the wrong one, and the model writes what it becomes; or a place is given where a line is
 * missing, and the model writes it. The answer is begun, as a diff in which the removed line stands already, or the lines
 * before the place. So it is a few tokens long, and says nothing of other places.
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

/** What is asked about. */
export interface Spot extends SuspectLine {
  /** The line stays, and the answer's lines come before it. */
  isMissing?: true;
}

/** The answer as it is begun for the model. */
export function begunAnswer({ text, above, isMissing }: Spot): string {
  const given = isMissing ? above.map((line) => ` ${line}`) : [`-${text}`];
  return ['```diff', ...given, `+${indentOf(text)}`].join('\n');
}

/** The file with the answer's lines in place of the given one, or before it. `before`: the file as it is. */
export async function readLineDraft(
  number: number,
  at: Spot,
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

/** Undefined where nothing becomes another, white space aside: an empty answer says nothing, nor does one that repeats the line. */
function withLine(before: string, { line, text, isMissing }: Spot, content: string): string | undefined {
  const [first = '', ...more] = content.trim().split(/\r?\n/u);
  if (first === '' || (isMissing && first.trimEnd() === text.trim())) return undefined;
  const added = [
    indentOf(text) + first.trimEnd(),
    ...more.filter((next) => next.startsWith('+')).map((next) => next.slice(1).trimEnd()),
  ];
  const lines = before.split('\n');
  const lineEnd = lines[line - 1]?.endsWith('\r') ? '\r' : '';
  lines.splice(line - 1, isMissing ? 0 : 1, ...added.map((next) => next + lineEnd));
  const after = lines.join('\n');
  return after.replaceAll(/\s/gu, '') === before.replaceAll(/\s/gu, '') ? undefined : after;
}

const indentOf = (text: string): string => /^\s*/u.exec(text)?.[0] ?? '';
