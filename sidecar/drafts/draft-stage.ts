/**
 * Drafts: one question, several answers, the checks choose. Each answer is put into the tree of the checks and checked there;
 * the task's tree changes once, when a draft has been chosen and the choice is in the journal. A task that is resumed
 * lives through its answers again, checks only what was not checked, and writes the same files.
 */
import type { VerificationReport } from '../protocol/result.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { bestStart, mostVoted } from './choose.ts';
import { isUsable, passesAll, type Draft } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import { reliveDrafts, sampleDrafts } from './sample.ts';
import { writeFiles } from '../task/checking/write-files.ts';
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
  const { drafts, ending } = past ? await reliveDrafts(options) : await sampleDrafts(options);
  // Nobody wants what a cancelled task did, and one that is interrupted goes on drawing.
  const isOff = ending?.reason === 'cancelled' || ending?.reason === 'shutdown';
  if (!past && isOff) return { choice: NO_CHOICE, ending };
  const choice = past ?? choose(drafts, await options.base);
  if (!past) keepChoice(run.journal, choice);
  const outcome = { choice, ...(ending && { ending }) };
  if (choice.kind === 'none' || (await putIn(run, choice))) return outcome;
  return { ...outcome, choice: { ...choice, kind: 'none', files: [] } };
}

/** Puts a choice into the task's tree, once in the life of a task. False where it cannot be written, which is told. Throws `StorageError`. */
async function putIn(run: TaskRun, { files }: Choice): Promise<boolean> {
  if (isChoiceWritten(run.journal)) return true;
  const written = await writeFiles(run.env, files);
  if (written.ok) keepChoiceWritten(run.journal);
  else run.emit({ event_type: 'status', text: `The draft was not taken: ${written.failure.message}` });
  return written.ok;
}

const NO_CHOICE: Choice = { kind: 'none', files: [], output: '' };

function choose(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  if (!base || passesAll(base)) return chooseByVote(drafts, base);
  const solved = drafts.find(({ report }) => passesAll(report));
  if (solved) {
    const { number, leftOut } = solved;
    const lost = leftOut ? ` A part of the answer was not put in: ${leftOut}.` : '';
    return chosen('solved', solved, `Draft ${number} of ${drafts.length} passes the checks.${lost}`);
  }
  const none = `None of ${drafts.length} drafts passes the checks.`;
  const start = bestStart(drafts, base);
  return start ? chosen('start', start, none) : noneOf(drafts, none);
}

function chooseByVote(drafts: readonly Draft[], base: VerificationReport | undefined): Choice {
  const harmless = drafts.filter((draft) => isUsable(draft) && (!base || passesAll(draft.report)));
  const vote = mostVoted(harmless);
  const why = base ? 'The checks passed already' : 'There are no checks';
  return vote
    ? chosen('voted', vote.draft, `${why}; ${vote.voices} of ${drafts.length} drafts make this change.`)
    : noneOf(drafts, `${why}; no two of ${drafts.length} drafts agree.`);
}

/** With the cause that the likeliest answer names: another attempt is to look for another one. */
const noneOf = ([first]: readonly Draft[], why: string): Choice => ({
  ...NO_CHOICE,
  output: [first?.reason, why].filter(Boolean).join('\n\n'),
});

const chosen = (kind: Choice['kind'], draft: Draft, why: string): Choice => ({
  kind,
  files: [...draft.files],
  output: [draft.reason, why].filter(Boolean).join('\n\n'),
});
