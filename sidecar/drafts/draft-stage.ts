/**
 * Drafts: one question, several answers, the checks choose. Each answer is put into the tree of the checks and checked there;
 * the task's tree changes once, when a draft has been chosen and the choice is in the journal. A task that is resumed
 * draws only the drafts that are missing, or writes the files of the choice that it made.
 */
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { choose, NO_CHOICE } from './choose.ts';
import { sampleDrafts, type DraftsOptions } from './sample.ts';
import { writeFiles } from '../task/tree-files.ts';
import { isChoiceWritten, keepChoice, keepChoiceWritten, keptChoice, type Choice } from './kept-choice.ts';

/** `choice` says what the tree holds now. `ending`: the task has to stop; what it leaves is checked as it is. */
export interface DraftsOutcome {
  choice: Choice;
  ending?: Ending;
}

/** Draws drafts until one passes, and puts the chosen one into the task's tree. Rejects only for a failing disk. */
export async function runDrafts(options: DraftsOptions): Promise<DraftsOutcome> {
  const { run } = options;
  const kept = keptChoice(run.journal);
  if (kept) {
    run.totals.goOnFrom(kept.used);
    return { choice: await putIn(run, kept.choice) };
  }
  const { drafts, ending } = await sampleDrafts(options);
  // Nobody wants what a cancelled task did, and one that is interrupted goes on drawing.
  if (ending?.reason === 'cancelled' || ending?.reason === 'shutdown') return { choice: NO_CHOICE, ending };
  const choice = choose(drafts, await options.base);
  keepChoice(run.journal, { choice, used: run.totals.used });
  return { choice: await putIn(run, choice), ...(ending && { ending }) };
}

/**
 * Puts a choice into the task's tree, once in the life of a task, and gives what the tree holds then: none where it cannot be
 * written, which is shown. Throws `StorageError`.
 */
async function putIn(run: TaskRun, choice: Choice): Promise<Choice> {
  if (choice.kind === 'none' || isChoiceWritten(run.journal)) return choice;
  const written = await writeFiles(run.env, choice.files);
  if (written.ok) {
    keepChoiceWritten(run.journal);
    return choice;
  }
  run.emit({ event_type: 'status', text: `The draft was not taken: ${written.failure.message}` });
  return { ...choice, kind: 'none', files: [] };
}
