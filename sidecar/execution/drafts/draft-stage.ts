/**
 * Drafts: one question, several answers, the checks choose. Each answer is put into the tree of the checks and checked there;
 * the task's tree changes once, when a draft has been chosen and the choice is in the journal. A task that is resumed
 * lives through its answers again, checks only what was not checked, and writes the same files.
 */
import type { VerificationReport } from '../../protocol/result.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { bestStart, isAsAsked, likeliest, mostVoted } from './choose.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { drawDrafts, reliveDrafts } from './draw-drafts.ts';
import { writeFiles } from '../checking/write-files.ts';
import { isChoiceWritten, keepChoice, keepChoiceWritten, keptChoice, type Choice } from './kept-choice.ts';

/** `choice` says what the tree holds now. `ending`: the task has to stop; what it leaves is checked as it is. */
export interface DraftsOutcome {
  choice: Choice;
  ending?: Ending;
}

/** Draws drafts until one passes, and puts the chosen one into the task's tree. Rejects only for a failing disk. */
export async function runDrafts(options: DraftsOptions): Promise<DraftsOutcome> {
  const { run } = options;
  const past = keptChoice(run.journal);
  const { choice, ending } = past ? await relivedChoice(options, past) : await newChoice(options);
  const outcome = { choice, ...(ending && { ending }) };
  if (choice.kind === 'none' || (await putIn(run, choice))) return outcome;
  return { ...outcome, choice: { ...choice, kind: 'none', files: [] } };
}

/** Puts a choice into the task's tree, once in the life of a task. False where it cannot be written, which is told. Throws `StorageError`. */
export async function putIn(run: TaskRun, { files }: Choice): Promise<boolean> {
  if (isChoiceWritten(run.journal)) return true;
  const written = await writeFiles(run.env, files);
  if (written.ok) keepChoiceWritten(run.journal);
  else run.emit({ event_type: 'status', text: `The draft was not taken: ${written.failure.message}` });
  return written.ok;
}

async function newChoice(options: DraftsOptions): Promise<DraftsOutcome> {
  const { drafts, ending } = await drawDrafts(options);
  // Nobody wants what a cancelled task did, and one that is interrupted goes on drawing.
  if (ending && (ending.reason === 'cancelled' || ending.reason === 'shutdown')) {
    return { choice: NO_CHOICE, ending };
  }
  const isLast = ending !== undefined || options.solving.strategy === 'drafts';
  const choice = choose(drafts, await options.base, { isFirst: options.isFirst, isLast });
  keepChoice(options.run.journal, choice);
  return { choice, ...(ending && { ending }) };
}

async function relivedChoice(options: DraftsOptions, choice: Choice): Promise<DraftsOutcome> {
  const ending = await reliveDrafts(options);
  return { choice, ...(ending && { ending }) };
}

const SMALL_CHANGE_PASSES =
  'The program made a small change where the failing code is, and the checks pass; the first answer of the model did not.';
const NO_CHOICE: Choice = { kind: 'none', files: [], output: '' };

/** `isFirst`: nothing better is in the tree yet. `isLast`: no other stage follows. */
function choose(
  drafts: readonly Draft[],
  base: VerificationReport | undefined,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Choice {
  if (!base || passesAll(base)) return chooseByVote(drafts, base, isLast);
  const solved = drafts.find(({ report }) => passesAll(report));
  if (solved) {
    const { number, leftOut } = solved;
    const lost = leftOut ? ` A part of the answer was not put in: ${leftOut}.` : '';
    const isSmallChange = number === 0;
    const passes = isSmallChange
      ? SMALL_CHANGE_PASSES
      : `Draft ${number} of ${drafts.length} passes the checks.`;
    return chosen('solved', solved, passes + lost);
  }
  const none = `None of ${drafts.length} drafts passes the checks.`;
  const start = bestStart(drafts, base);
  if (start) return chosen('start', start, none);
  const left = isFirst ? likeliest(drafts, base) : undefined;
  return noneOf(left && handedBack(left, none), none, isLast);
}

function chooseByVote(
  drafts: readonly Draft[],
  base: VerificationReport | undefined,
  isLast: boolean,
): Choice {
  const harmless = drafts.filter((draft) => isUsable(draft) && (!base || passesAll(draft.report)));
  const vote = mostVoted(harmless);
  const why = base ? 'The checks passed already' : 'There are no checks';
  const asAsked = harmless.find(isAsAsked);
  if (asAsked) return chosen('voted', asAsked, `${why}, and pass with it.`);
  const doubt = `${why}; no two of ${drafts.length} drafts agree.`;
  const [left] = harmless;
  if (!vote) return noneOf(left && { ...handedBack(left, doubt), doubt }, doubt, isLast);
  return chosen('voted', vote.draft, `${why}; ${vote.voices} of ${drafts.length} drafts make this change.`);
}

/** The next stage begins anew; where none changes anything, a draft to look at is more than nothing. */
function noneOf(left: Choice | undefined, output: string, isLast: boolean): Choice {
  if (left && isLast) return left;
  return { kind: 'none', files: [], output, ...(left && { otherwise: left }) };
}

const handedBack = (draft: Draft, why: string): Choice =>
  chosen('left', draft, `${why} Draft ${draft.number} is put in: look at it.`);

const chosen = (kind: Choice['kind'], draft: Draft, why: string): Choice => ({
  kind,
  files: [...draft.files],
  output: [draft.reason, why].filter(Boolean).join('\n\n'),
});
