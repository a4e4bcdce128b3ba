/**
 * Runs the stage of drafts: one question, several answers, of which the checks choose one. Each answer is checked in the check tree. The
 * task's tree changes once, when a draft has been chosen.
 */
import { buildCodeSystemPrompt } from '../prompt/code-answer.ts';
import { openQuestion } from '../model-calls/stage.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { chooseDraft, NO_CHOICE, type Choice } from './choose.ts';
import { DraftSampler, type DraftsOptions } from './sample.ts';
import { writeFiles } from '../task/tree-files.ts';

/** `choice`: the change that was written into the tree. `ending`: set if the task must stop; the checks then run on its tree as it is. */
export interface DraftsOutcome {
  choice: Choice;
  ending?: Ending;
}

/** Requests drafts until one passes, and writes the chosen one into the task's tree. Rejects only on a storage error. */
export async function runDrafts(options: DraftsOptions): Promise<DraftsOutcome> {
  const { run, model } = options;
  const system = buildCodeSystemPrompt(model.entry.prompt);
  const question = { run, model, purpose: 'agentic' as const, name: 'drafts', system };
  const stage = openQuestion(question, options.question);
  const { drafts, ending } = await new DraftSampler(options, stage).run();
  // The work of a cancelled task is not needed; an interrupted task resumes its drafts.
  if (ending?.reason === 'cancelled' || ending?.reason === 'shutdown') return { choice: NO_CHOICE, ending };
  const choice = chooseDraft(drafts, await options.base);
  return { choice: await writeChoice(run, choice), ...(ending && { ending }) };
}

/** Writes the choice into the task's tree and returns it. If it cannot be written, returns `none` and emits an event. */
async function writeChoice(run: TaskRun, choice: Choice): Promise<Choice> {
  if (choice.kind === 'none') return choice;
  const written = await writeFiles(run.env, choice.files);
  if (written.ok) return choice;
  run.emit({ event_type: 'status', text: `The draft could not be applied: ${written.failure.message}` });
  return { ...choice, kind: 'none', files: [] };
}
