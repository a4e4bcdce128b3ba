/**
 * A line draft: one line is given as the wrong one, and the model writes what it becomes; or a place is given where a line is
 * missing, and the model writes it. The answer is begun, as a diff in which the removed line stands already, or the lines
 * before the place. So it is a few tokens long, and says nothing of other places.
 */
import { namesIn, newProblems } from '../../definitions/index.ts';
import type { ChangedFile } from '../../applying/index.ts';
import type { ChatReply } from '../../model/chat.ts';
import { indentOf } from '../../tools/editing/folding.ts';
import type { Draft } from './draft.ts';
import type { Spot } from './suspects.ts';

/** Of the answer behind the indentation; more than a few lines are no correction of one. */
export const MAX_LINE_TOKENS = 100;
/** The answer ends with the diff's block, or where the diff goes on with other lines. */
export const LINE_STOPS = ['```', '\n-', '\n '];

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
  const draft: Draft = { number, at, files: [], reason: '', answer };
  if (reply.doneReason === 'length')
    return { ...draft, rejected: 'the answer was cut off at the length limit' };
  const added = addedLines(at, reply.message.content);
  const file = added && changed(at, before, at.isMissing ? [...added, at.text] : added);
  if (!added || !file) return { ...draft, rejected: 'the answer holds no change' };
  const isBeside = !at.isMissing && !isLike(at.text, added.join('\n'));
  const others = isBeside
    ? [
        [at.text, ...added],
        [...added, at.text],
      ]
    : [];
  const changes = others.flatMap((lines) => changed(at, before, lines) ?? []).map((each) => [each]);
  const read: Draft = { ...draft, ...(changes.length > 0 && { otherwise: { as: 'beside', changes } }) };
  const [problem] = await newProblems(at.path, before, file.after ?? '');
  if (problem) return { ...read, rejected: `it does not parse (${at.path}, line ${problem.line})` };
  return { ...read, files: [file] };
}

/** The lines of an answer, indented as the given one; undefined where it has none, or says the line that stands there already. */
function addedLines({ text, isMissing }: Spot, content: string): string[] | undefined {
  const [first = '', ...more] = content.trim().split(/\r?\n/u);
  if (first === '' || (isMissing && first.trimEnd() === text.trim())) return undefined;
  // A model may put a blank between the indentation that it is given and its first word; then it counts from there.
  const blanks = /^[ \t]*/u.exec(content)?.[0].length ?? 0;
  const moved = (line: string): string => line.slice(Math.min(blanks, indentOf(line).length));
  return [
    indentOf(text) + first.trimEnd(),
    ...more.filter((next) => next.startsWith('+')).map((next) => moved(next.slice(1)).trimEnd()),
  ];
}

/** The file with other lines in place of the given one; undefined where nothing becomes another, white space aside. */
function changed({ path, line }: Spot, before: string, wanted: readonly string[]): ChangedFile | undefined {
  const after = withLines(before, line, wanted);
  return withoutBlanks(after) === withoutBlanks(before) ? undefined : { path, before, after };
}

/** The text with other lines in place of one (from 1), with its line end. */
export function withLines(text: string, line: number, wanted: readonly string[]): string {
  const lines = text.split('\n');
  const lineEnd = lines[line - 1]?.endsWith('\r') ? '\r' : '';
  return lines.toSpliced(line - 1, 1, ...wanted.map((next) => next + lineEnd)).join('\n');
}

const withoutBlanks = (text: string): string => text.replaceAll(/\s/gu, '');

/** Whether an answer has half of the line's words: it is another wording of it, and not something beside it. */
function isLike(line: string, answer: string): boolean {
  const said = new Set(namesIn(answer));
  const words = [...new Set(namesIn(line))];
  return words.filter((word) => said.has(word)).length * 2 >= words.length;
}
