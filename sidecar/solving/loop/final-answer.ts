/**
 * Handles an answer without calls. The answer ends the stage if the work is done. If a file must change and none has changed, the code of
 * the answer is written into files, and the checks decide. If the answer has no code either, the reply shows the file and the expected
 * form. The number of such replies is limited.
 */
import { removeThinking } from '../../parsing/answers/thinking.ts';
import type { AnswerCandidate, ChangedFile } from '../../parsing/apply-edits/index.ts';
import { describeChange } from '../task/changes.ts';
import { buildAppliedMessage, buildUnchangedReminder } from '../prompt/loop-messages.ts';
import { errorMessage } from '../../base/values/errors.ts';
import { hasTurnsLeft, hasWaitingMessage } from '../model-calls/stage.ts';
import type { Ending } from '../task/ending.ts';
import { readCode, readText, writeChange } from '../task/tree-files.ts';
import { createChangeableMatcher } from '../task/checking/changeable.ts';
import { viewOf } from '../../tools/file-view.ts';
import type { CandidateChanges } from './quick-checks.ts';
import { addMessage, type LoopStage, type LoopState } from './loop-stage.ts';

interface AnswerDecision {
  /** Message for the model. */
  message?: string;
  /** Whether the stage ends. */
  endsStage: boolean;
  /** Whether the tree may have changed. */
  hasChangedFiles: boolean;
  /** Note for users at the end of the output. */
  note?: string;
}

const MAX_REASONS = 3;
const ALREADY_APPLIED_REASON = 'the file already contains this text';

/** Ends the stage, or asks the model for the missing change. Returns the ending if the stage ends. */
export async function handleFinalAnswer(
  stage: LoopStage,
  state: LoopState,
  content: string,
): Promise<Ending | undefined> {
  if (hasNewText(stage, state)) return undefined;
  const decision = (await isChangeMissing(stage, state, content))
    ? await decideOnAnswer(stage, state, content)
    : await endStage(stage, state, content);
  if (decision.hasChangedFiles) void state.watch.compare();
  if (decision.message !== undefined) addMessage(stage, { role: 'user', content: decision.message });
  state.isStuck = !decision.endsStage && !decision.hasChangedFiles;
  if (!decision.endsStage) return undefined;
  const { note } = decision;
  if (note === undefined) return { reason: 'final_answer', output: content };
  return { reason: 'final_answer', output: `${content}\n\n(${note})`, hasCodeNote: true };
}

/** Returns whether a user's message arrived during the final answer and the model has a turn left for it. */
function hasNewText(stage: LoopStage, { round }: LoopState): boolean {
  return (
    stage.run.control.stopReason === undefined && hasTurnsLeft(stage) && hasWaitingMessage(stage, round + 1)
  );
}

/**
 * Returns whether the task still needs a change. That is the case if no file has changed and a check fails or the answer contains code. It
 * is also the case if the last change failed its checks and the answer contains code, which may be better.
 */
async function isChangeMissing(stage: LoopStage, state: LoopState, content: string): Promise<boolean> {
  if (!state.watch.isEnabled) return false;
  await state.watch.waitForComparisons();
  const isOpen = state.watch.changeCount === 0 || (stage.checks.haveFailedLast && content.includes('```'));
  if (!isOpen) return false;
  return content.includes('```') || (await stage.checks.haveFailedAtStart()) === true;
}

/** Returns the decision to end the stage, with a note if code of the answer is in no file. */
async function endStage(stage: LoopStage, state: LoopState, content: string): Promise<AnswerDecision> {
  const end = { endsStage: true, hasChangedFiles: false };
  if (!state.watch.isEnabled || !content.includes('```')) return end;
  const [{ files }] = await readCandidates(stage, content);
  return files.length === 0 ? end : { ...end, note: formatNotAppliedNote(files.map(({ path }) => path)) };
}

const formatNotAppliedNote = (paths: readonly string[]): string =>
  `The code in this answer was not written to ${paths.length > 0 ? paths.join(', ') : 'a file'}.`;

async function decideOnAnswer(stage: LoopStage, state: LoopState, content: string): Promise<AnswerDecision> {
  const [candidate, ...otherCandidates] = await readCandidates(stage, content);
  const ownReasons = listReasons(candidate);
  const isCopy = content.includes('```') && candidate.files.length === 0 && ownReasons.length === 0;
  const reasons = isCopy ? [ALREADY_APPLIED_REASON] : ownReasons;
  if (candidate.files.length > 0 && candidate.problems.length === 0) {
    const otherChanges = otherCandidates
      .filter(({ problems }) => problems.length === 0)
      .map(({ files }) => files);
    return applyCode(stage, [candidate.files, ...otherChanges], reasons);
  }
  const { checks, corrections } = stage;
  const checksFail = (await checks.haveFailedAtStart()) === true;
  // A second reminder is sent only if the checks show that a change is missing.
  const isSecondReminder = corrections.reminders === 1;
  const hasReminder = corrections.reminders > 0 && (checksFail || !isSecondReminder);
  if (state.watch.changeCount > 0 || !hasTurnsLeft(stage) || !hasReminder) {
    const note = content.includes('```') && reasons.length > 0 ? formatNotAppliedNote([]) : undefined;
    return { endsStage: true, hasChangedFiles: false, ...(note !== undefined && { note }) };
  }
  const namedPaths = [...candidate.problems, ...candidate.files, ...candidate.omittedParts].map(
    ({ path }) => path,
  );
  const view = isSecondReminder || isCopy ? undefined : await viewFirstFile(stage, namedPaths);
  corrections.reminders -= 1;
  const { content: message } = buildUnchangedReminder({
    reasons,
    view,
    isFailing: checksFail,
    isRepeated: isSecondReminder,
  });
  return { message, endsStage: false, hasChangedFiles: false };
}

/** Returns the candidates that can be read from the code of the answer, as for a draft. */
const readCandidates = (
  stage: LoopStage,
  content: string,
): Promise<[AnswerCandidate, ...AnswerCandidate[]]> =>
  readCode(stage.run, removeThinking(content), {
    shownPaths: listShownPaths(stage),
    mayChange: createChangeableMatcher(stage.run.task),
  });

/** Returns the paths that the model has seen, wholly or in part, and the paths that the task names. */
function listShownPaths({ run, tools: { files } }: LoopStage): string[] {
  const hints = run.task.file_hints.map((hint) => (typeof hint === 'string' ? hint : hint.path));
  return [...new Set([...files.listedPaths, ...hints])];
}

/** Returns a view of the first file in `paths`, or else in the shown files, that exists and that the task may change. */
async function viewFirstFile(
  stage: LoopStage,
  paths: readonly (string | undefined)[],
): Promise<string | undefined> {
  const mayChange = createChangeableMatcher(stage.run.task);
  for (const path of [...paths, ...listShownPaths(stage)]) {
    if (path === undefined || !mayChange(path)) continue;
    const text = await readText(stage.run, path);
    if (text !== undefined) return (await viewOf(path, text, { maxChars: stage.tools.maxOutputChars })).text;
  }
  return undefined;
}

/** Returns the reasons why code was not written into files, without duplicates. */
function listReasons({ problems, omittedParts }: AnswerCandidate): string[] {
  const texts = [
    ...problems.map(({ path, line, text }) => `${path} would not parse, line ${line}: ${text}`),
    ...omittedParts
      .filter(({ kind }) => kind !== 'example')
      .map(({ path, reason }) => (path === undefined ? reason : `${path}: ${reason}`)),
  ];
  return [...new Set(texts)].slice(0, MAX_REASONS);
}

/**
 * Writes the candidate that the checks select. If the checks are slow, it writes the first candidate, and the checks run at the end of the
 * stage.
 */
async function applyCode(
  stage: LoopStage,
  candidates: CandidateChanges,
  reasons: readonly string[],
): Promise<AnswerDecision> {
  const { run, checks } = stage;
  const { files: chosenFiles, checked: checkedReport } = await checks.chooseCandidate(candidates);
  const failures: string[] = [];
  const written: ChangedFile[] = [];
  for (const file of chosenFiles) {
    try {
      await writeChange(run.env, file);
      written.push(file);
    } catch (error) {
      failures.push(`${file.path}: ${errorMessage(error)}`);
    }
  }
  const target = written.length > 0 ? `files: ${describeChange(written)}` : 'no file';
  run.emit({ event_type: 'status', text: `The code of the answer was written to ${target}` });
  const missedNotes = [...failures, ...reasons].map((reason) => `Not written: ${reason}.`);
  const passes = checkedReport?.report.status === 'pass';
  const isDone = checkedReport ? passes : missedNotes.length === 0;
  const message = buildAppliedMessage(target, [
    ...missedNotes,
    ...(checkedReport ? [checkedReport.note] : []),
  ]).content;
  const note = `The code of this answer was written to ${target}.`;
  return { message, note, hasChangedFiles: true, endsStage: isDone || !hasTurnsLeft(stage) };
}
