/**
 * Handles an answer without calls. It ends the stage if the work is done. If a file must change and none has, the code of the answer is put
 * into files, and the checks decide. To an answer without code, the reply shows the file and the expected form; the number of such replies
 * is limited.
 */
import { removeThinking } from '../../parsing/answers/thinking.ts';
import type { Candidate, ChangedFile } from '../../parsing/apply-edits/index.ts';
import { describeChange } from '../task/changes.ts';
import { placedMessage, unchangedReminder } from '../prompt/loop-messages.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { hasTurnsLeft, hasWaitingText } from '../model-calls/stage.ts';
import type { Ending } from '../task/ending.ts';
import { readCode, readText, writeChange } from '../task/tree-files.ts';
import { changeableBy } from '../task/checking/changeable.ts';
import { viewOf } from '../../tools/file-view.ts';
import type { Readings } from './quick-checks.ts';
import { addMessage, type LoopStage, type LoopState } from './loop-stage.ts';

/** The decision about an answer. */
interface AnswerDecision {
  /** Message for the model. */
  message?: string;
  /** Whether the stage ends. */
  ends: boolean;
  /** Whether the tree may have changed. */
  changed: boolean;
  /** Note for users at the end of the output. */
  note?: string;
}

const MAX_REASONS = 3;
const COPY = 'it is what the file holds already';

/** Ends the stage, or asks for the missing change. Returns the ending, if any. */
export async function handleFinalAnswer(
  stage: LoopStage,
  state: LoopState,
  content: string,
): Promise<Ending | undefined> {
  if (hasNewText(stage, state)) return undefined;
  const decision = (await isChangeMissing(stage, state, content))
    ? await decide(stage, state, content)
    : await endWith(stage, state, content);
  if (decision.changed) void state.watch.compare();
  if (decision.message !== undefined) addMessage(stage, { role: 'user', content: decision.message });
  state.isStuck = !decision.ends && !decision.changed;
  if (!decision.ends) return undefined;
  const { note } = decision;
  return { reason: 'final_answer', output: note === undefined ? content : `${content}\n\n(${note})` };
}

/** Returns whether a user's message arrived during the final answer, and a turn is left for it. */
function hasNewText(stage: LoopStage, { round }: LoopState): boolean {
  return (
    stage.run.control.stopReason === undefined && hasTurnsLeft(stage) && hasWaitingText(stage, round + 1)
  );
}

/**
 * Returns whether a change is missing. Either no file has changed, and a check fails or the answer contains code; or the last change was
 * not enough, and the answer may contain a better one.
 */
async function isChangeMissing(stage: LoopStage, state: LoopState, content: string): Promise<boolean> {
  if (!state.watch.isOn) return false;
  await state.watch.settled();
  const isOpen = state.watch.changes === 0 || (stage.checks.failedLast && content.includes('```'));
  if (!isOpen) return false;
  return content.includes('```') || (await stage.checks.failAtStart()) === true;
}

/** Returns the end of the stage, with a note on code of the answer that is in no file. */
async function endWith(stage: LoopStage, state: LoopState, content: string): Promise<AnswerDecision> {
  const end = { ends: true, changed: false };
  if (!state.watch.isOn || !content.includes('```')) return end;
  const [{ files }] = await candidatesOf(stage, content);
  return files.length === 0 ? end : { ...end, note: notPutNote(files.map(({ path }) => path)) };
}

const notPutNote = (paths: readonly string[]): string =>
  `The code in this answer was not put into a file${paths.length > 0 ? `: ${paths.join(', ')}` : ''}.`;

async function decide(stage: LoopStage, state: LoopState, content: string): Promise<AnswerDecision> {
  const [placed, ...others] = await candidatesOf(stage, content);
  const lost = reasonsOf(placed);
  const copies = content.includes('```') && placed.files.length === 0 && lost.length === 0;
  const reasons = copies ? [COPY] : lost;
  if (placed.files.length > 0 && placed.problems.length === 0) {
    const readings = others.filter(({ problems }) => problems.length === 0).map(({ files }) => files);
    return applyCode(stage, [placed.files, ...readings], reasons);
  }
  const { checks, patience } = stage;
  const fails = (await checks.failAtStart()) === true;
  const mayAsk = state.watch.changes === 0 && hasTurnsLeft(stage) && patience.reminders > (fails ? 0 : 1);
  if (!mayAsk) {
    const note = content.includes('```') && reasons.length > 0 ? notPutNote([]) : undefined;
    return { ends: true, changed: false, ...(note !== undefined && { note }) };
  }
  const isAgain = fails && patience.reminders === 1;
  const named = [...placed.problems, ...placed.files, ...placed.leftOut].map(({ path }) => path);
  const view = isAgain || copies ? undefined : await firstView(stage, named);
  patience.reminders -= 1;
  const { content: message } = unchangedReminder({ reasons, view, isFailing: fails, isAgain });
  return { message, ends: false, changed: false };
}

/** Returns the candidates in the answer's code, parsed as those of a draft. */
const candidatesOf = (stage: LoopStage, content: string): Promise<[Candidate, ...Candidate[]]> =>
  readCode(stage.run, removeThinking(content), {
    shown: shownIn(stage),
    mayChange: changeableBy(stage.run.task),
  });

/** Returns the paths that the model has seen, wholly or in part, and the paths that the task names. */
function shownIn({ run, tools: { files } }: LoopStage): string[] {
  const hints = run.task.file_hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
  return [...new Set([...files.shown, ...hints])];
}

/** Returns the present text of a file that the task may change: the first of `paths`, else of the shown files. */
async function firstView(
  stage: LoopStage,
  paths: readonly (string | undefined)[],
): Promise<string | undefined> {
  const mayChange = changeableBy(stage.run.task);
  for (const path of [...paths, ...shownIn(stage)]) {
    if (path === undefined || !mayChange(path)) continue;
    const text = await readText(stage.run, path);
    if (text !== undefined) return (await viewOf(path, text, { maxChars: stage.tools.maxOutputChars })).text;
  }
  return undefined;
}

/** Returns the reasons why code was not put in, without duplicates. */
function reasonsOf({ problems, leftOut }: Candidate): string[] {
  const texts = [
    ...problems.map(({ path, line, text }) => `${path} would not parse, line ${line}: ${text}`),
    ...leftOut
      .filter(({ kind }) => kind !== 'example')
      .map(({ path, reason }) => (path === undefined ? reason : `${path}: ${reason}`)),
  ];
  return [...new Set(texts)].slice(0, MAX_REASONS);
}

/**
 * Writes the candidate that the checks select. If the checks are slow, it is the first candidate, and they decide at the end of the stage.
 */
async function applyCode(
  stage: LoopStage,
  readings: Readings,
  reasons: readonly string[],
): Promise<AnswerDecision> {
  const { run, checks } = stage;
  const { files: chosen, checked } = await checks.tryOut(readings);
  const failures: string[] = [];
  const written: ChangedFile[] = [];
  for (const file of chosen) {
    try {
      await writeChange(run.env, file);
      written.push(file);
    } catch (error) {
      failures.push(`${file.path}: ${errorMessage(error)}`);
    }
  }
  const where = written.length > 0 ? `files: ${describeChange(written)}` : 'no file';
  run.emit({ event_type: 'status', text: `The code of the answer was put into ${where}` });
  const missed = [...failures, ...reasons].map((reason) => `Not put in: ${reason}.`);
  const passes = checked?.report.status === 'pass';
  const isDone = checked ? passes : missed.length === 0;
  const message = placedMessage(where, [...missed, ...(checked ? [checked.note] : [])]).content;
  const note = `The code of this answer was put into ${where}.`;
  return { message, note, changed: true, ends: isDone || !hasTurnsLeft(stage) };
}
