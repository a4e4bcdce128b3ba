/** Parses an answer as a draft: the cause that it names, and the changed files. */
import { extractProse, findOpenFence, dropOpenBlock } from '../prompt/code-answer.ts';
import { removeThinking } from '../../parsing/answers/thinking.ts';
import {
  dropLastPart,
  type AnswerCandidate,
  type ChangedFile,
  type OmittedPart,
} from '../../parsing/apply-edits/index.ts';
import type { ChatReply } from '../../model/chat.ts';
import { readCode, readText } from '../task/tree-files.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { Draft } from './draft.ts';

/** The `doneReason` of an answer that the end of the task's time cut off. */
export const TIMEOUT_DONE_REASON = 'timeout';

const MAX_PROSE_CHARS = 1_000;
/** The reason of an unfinished answer, by its `doneReason`. */
const CUT_OFF_REASONS = new Map([
  ['length', 'the answer was cut off at the length limit'],
  [TIMEOUT_DONE_REASON, "the answer was cut off at the task's time limit"],
]);

export interface ReadingOptions {
  run: TaskRun;
  /** Paths that the question shows, most relevant first. */
  shownPaths: readonly string[];
  /** Returns whether a path may be changed. Tests and scripts of the checks may not. */
  mayChange: (path: string) => boolean;
  /** The draft that the answer repairs. Files that the answer does not change remain as in that draft. */
  repairedDraft?: Draft | undefined;
}

export async function readDraft(
  { run, shownPaths, mayChange, repairedDraft }: ReadingOptions,
  number: number,
  { message, doneReason }: Pick<ChatReply, 'message' | 'doneReason'>,
): Promise<Draft> {
  const cutOff = CUT_OFF_REASONS.get(doneReason);
  const whole = removeThinking(message.content);
  const answer = cutOff ? dropUnfinishedPart(whole) : whole;
  const mended = new Map(repairedDraft?.files.map((file) => [file.path, file]));
  const [placed, ...others] = await readCode(run, answer, {
    read: async (path) => (mended.has(path) ? mended.get(path)?.after : await readText(run, path)),
    shownPaths,
    mayChange,
  });
  const readings = others.filter(isWhole).map(({ files }) => combineChanges(mended, files));
  const [problem] = placed.problems;
  const [firstLoss] = placed.omittedParts;
  const draft: Draft = {
    number,
    files: combineChanges(mended, placed.files),
    reason: extractCause(answer),
    answer,
    ...(readings.length > 0 && { readings }),
    ...(repairedDraft && { repairedDraftNumber: repairedDraft.number }),
  };
  if (problem)
    return {
      ...draft,
      rejectionReason: `the changed file does not parse (${problem.path}, line ${problem.line})`,
    };
  if (placed.files.length > 0) {
    return {
      ...draft,
      ...(cutOff ? { omittedPart: `its end (${cutOff})` } : findOmittedPart(placed.omittedParts)),
    };
  }
  if (cutOff) return { ...draft, rejectionReason: cutOff };
  return { ...draft, rejectionReason: firstLoss?.reason ?? 'the answer contains no change' };
}

const CHANGE_MARK = /^(?:<{5,9}|@@|--- |\*\*\* |diff )/mu;

/**
 * Returns the complete part of an answer that was cut off: its unfinished code block ends before the last part. A block with positions of
 * changes (a diff) is dropped, since half of a change may be another change.
 */
function dropUnfinishedPart(answer: string): string {
  const at = findOpenFence(answer)?.at;
  const block = at === undefined ? undefined : answer.slice(at);
  return block === undefined || CHANGE_MARK.test(block)
    ? dropOpenBlock(answer)
    : answer.slice(0, at) + dropLastPart(block);
}

const isWhole = ({ problems, files }: AnswerCandidate): boolean => problems.length === 0 && files.length > 0;

/** Returns the parts that could not be applied, except protected files and examples, which are omitted on purpose. */
function findOmittedPart(omittedParts: readonly OmittedPart[]): Pick<Draft, 'omittedPart'> {
  const lost = omittedParts.find(({ kind }) => kind !== 'example' && kind !== 'protected');
  if (!lost) return {};
  const [firstLine = ''] = lost.excerpt.split('\n');
  return { omittedPart: `${lost.path ?? firstLine} (${lost.reason})` };
}

/** Returns the text before the first code block, which names the cause. The line that announces the code is removed. */
function extractCause(answer: string): string {
  const said = extractProse(answer).trim();
  const lastLine = said.lastIndexOf('\n');
  const cause = said.endsWith(':') && lastLine > 0 ? said.slice(0, lastLine).trimEnd() : said;
  return cause.slice(0, MAX_PROSE_CHARS);
}

/** Combines the changes of both drafts into changes of the task's tree. */
function combineChanges(
  mended: ReadonlyMap<string, ChangedFile>,
  files: readonly ChangedFile[],
): ChangedFile[] {
  const all = new Map(mended);
  for (const file of files) {
    const earlier = mended.get(file.path);
    all.set(file.path, earlier ? { ...earlier, after: file.after } : file);
  }
  return [...all.values()].filter(({ before, after }) => before !== after);
}
