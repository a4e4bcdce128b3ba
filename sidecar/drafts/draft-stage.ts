/**
 * Drafts: one question, several answers, the checks choose. Each answer is put into the tree of the checks and checked there;
 * the task's tree changes once, when a draft has been chosen and the choice is in the journal. A task that is resumed
 * draws only the drafts that are missing, or writes the files of the choice that it made.
 */
import { codeSystemPrompt } from '../prompt/code-answer.ts';
import { openQuestion } from '../asking/stage.ts';
import type { TaskJournal } from '../ports.ts';
import { keepIn, keptIn } from '../task/journal.ts';
import type { Used } from '../task/run-totals.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { choose, NO_CHOICE, type Choice } from './choose.ts';
import { Sampling, type DraftsOptions } from './sample.ts';
import { writeFiles } from '../task/tree-files.ts';

/** The stage's name in the journal. */
const DRAFTS_STAGE = 'drafts';
/** Where the journal keeps the choice, files and all, and that it was written. */
const CHOICE_STAGE = 'drafts-choice';

/** `choice` says what the tree holds now. `ending`: the task has to stop; what it leaves is checked as it is. */
export interface DraftsOutcome {
  choice: Choice;
  ending?: Ending;
}

/** Draws drafts until one passes, and puts the chosen one into the task's tree. Rejects only for a failing disk. */
export async function runDrafts(options: DraftsOptions): Promise<DraftsOutcome> {
  const { run, model } = options;
  const kept = keptIn(run.journal, CHOICE_STAGE) as KeptChoice | undefined;
  if (kept) {
    run.totals.goOnFrom(kept.used);
    return { choice: await putIn(run, kept.choice) };
  }
  const system = codeSystemPrompt(model.entry.prompt);
  const question = { run, model, purpose: 'agentic' as const, name: DRAFTS_STAGE, system };
  const stage = await openQuestion(question, options.question);
  const { drafts, ending } = await new Sampling(options, stage).run();
  // Nobody wants what a cancelled task did, and one that is interrupted goes on drawing.
  if (ending?.reason === 'cancelled' || ending?.reason === 'shutdown') return { choice: NO_CHOICE, ending };
  const choice = choose(drafts, await options.base);
  const made: KeptChoice = { choice, used: run.totals.used };
  keepIn(run.journal, CHOICE_STAGE, made);
  return { choice: await putIn(run, choice), ...(ending && { ending }) };
}

/**
 * Puts a choice into the task's tree, once in the whole task, and gives what the tree holds then: none where it cannot be
 * written, which is shown. Throws `StorageError`.
 */
async function putIn(run: TaskRun, choice: Choice): Promise<Choice> {
  if (choice.kind === 'none' || isChoiceWritten(run.journal)) return choice;
  const written = await writeFiles(run.env, choice.files);
  if (written.ok) {
    keepIn(run.journal, CHOICE_STAGE, 'written', 1);
    return choice;
  }
  run.emit({ event_type: 'status', text: `The draft was not taken: ${written.failure.message}` });
  return { ...choice, kind: 'none', files: [] };
}

/** A choice, and what the task had used when it was made. */
interface KeptChoice {
  choice: Choice;
  used: Used;
}

/** Whether the choice is in the task's tree: what later stages changed there must not be written over. */
export const isChoiceWritten = (journal: TaskJournal | undefined): boolean =>
  (journal?.read(CHOICE_STAGE).length ?? 0) > 1;
