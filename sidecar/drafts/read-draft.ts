/** An answer as a draft: what it says of the cause, and the files as they would be. */
import { proseBeforeCode, openFence, dropOpenBlock } from '../prompt/code-answer.ts';
import { afterThinking } from '../answers/thinking.ts';
import { dropLastPart, type Candidate, type ChangedFile, type LeftOut } from '../applying/index.ts';
import type { ChatReply } from '../model/chat.ts';
import { readCode, readText } from '../task/tree-files.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { Draft } from './draft.ts';

/** The `doneReason` of an answer that the task had no time to wait for. */
export const OUT_OF_TIME = 'timeout';

const MAX_PROSE_CHARS = 1_000;
/** Why an answer has no end, by its `doneReason`. */
const CUT_OFF = new Map([
  ['length', 'the answer was cut off at the length limit'],
  [OUT_OF_TIME, "the answer was cut off when the task's time was over"],
]);

export interface ReadingOptions {
  run: TaskRun;
  /** Paths that the question shows, most relevant first. */
  shown: readonly string[];
  /** Tests and scripts of the checks stay as they are. */
  mayChange: (path: string) => boolean;
  /** The draft that the answer mends: what it leaves out stays as that draft has it. */
  mends?: Draft | undefined;
}

export async function readDraft(
  { run, shown, mayChange, mends }: ReadingOptions,
  number: number,
  { message, doneReason }: Pick<ChatReply, 'message' | 'doneReason'>,
): Promise<Draft> {
  const cutOff = CUT_OFF.get(doneReason);
  const whole = afterThinking(message.content);
  const answer = cutOff ? wholePart(whole) : whole;
  const mended = new Map(mends?.files.map((file) => [file.path, file]));
  const [placed, ...others] = await readCode(run, answer, {
    read: async (path) => (mended.has(path) ? mended.get(path)?.after : await readText(run, path)),
    shown,
    mayChange,
  });
  const readings = others.filter(isWhole).map(({ files }) => onto(mended, files));
  const [problem] = placed.problems;
  const [firstLoss] = placed.leftOut;
  const draft: Draft = {
    number,
    files: onto(mended, placed.files),
    reason: proseBefore(answer),
    answer,
    ...(readings.length > 0 && { readings }),
    ...(mends && { mends: mends.number }),
  };
  if (problem) return { ...draft, rejected: `it does not parse (${problem.path}, line ${problem.line})` };
  if (placed.files.length > 0) {
    return { ...draft, ...(cutOff ? { leftOut: `its end (${cutOff})` } : lossOf(placed.leftOut)) };
  }
  if (cutOff) return { ...draft, rejected: cutOff };
  return { ...draft, rejected: firstLoss?.reason ?? 'the answer holds no change' };
}

const CHANGE_MARK = /^(?:<{5,9}|@@|--- |\*\*\* |diff )/mu;

/**
 * An answer that was cut off, as far as it is whole: the code block that it is in the middle of without its last part. A block
 * that says where something is to change is left out, since half of a change is another one.
 */
function wholePart(answer: string): string {
  const at = openFence(answer)?.at;
  const block = at === undefined ? undefined : answer.slice(at);
  return block === undefined || CHANGE_MARK.test(block)
    ? dropOpenBlock(answer)
    : answer.slice(0, at) + dropLastPart(block);
}

const isWhole = ({ problems, files }: Candidate): boolean => problems.length === 0 && files.length > 0;

/** Files that are not to be changed and examples are left out on purpose. */
function lossOf(leftOut: readonly LeftOut[]): Pick<Draft, 'leftOut'> {
  const lost = leftOut.find(({ kind }) => kind !== 'example' && kind !== 'protected');
  if (!lost) return {};
  const [firstLine = ''] = lost.excerpt.split('\n');
  return { leftOut: `${lost.path ?? firstLine} (${lost.reason})` };
}

/** The answer's text before its first code block: the cause, as the model sees it, without the line that announces the code. */
function proseBefore(answer: string): string {
  const said = proseBeforeCode(answer).trim();
  const lastLine = said.lastIndexOf('\n');
  const cause = said.endsWith(':') && lastLine > 0 ? said.slice(0, lastLine).trimEnd() : said;
  return cause.slice(0, MAX_PROSE_CHARS);
}

/** Both changes as one, against the task's tree. */
function onto(mended: ReadonlyMap<string, ChangedFile>, files: readonly ChangedFile[]): ChangedFile[] {
  const all = new Map(mended);
  for (const file of files) {
    const earlier = mended.get(file.path);
    all.set(file.path, earlier ? { ...earlier, after: file.after } : file);
  }
  return [...all.values()].filter(({ before, after }) => before !== after);
}
