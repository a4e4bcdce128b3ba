/**
 * Solves a task. Each attempt gets a model and a way, and consists of work, checks and corrections. The best attempt becomes the result.
 * All attempts share the wall-clock limit, the ledger and the totals.
 */
import type { TerminationReason } from '../../base/protocol/result.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { ModelSource } from '../model-calls/models/open-models.ts';
import { AttemptModels } from './attempt-models.ts';
import type { AttemptPlan } from './solving-options.ts';
import { restoreTree } from '../task/tree-files.ts';
import { createAttemptRun, storeTree, restoreStartTree } from './attempt-start.ts';
import { createAttemptEvent } from './describe-attempts.ts';
import { findClosest, isDoubtful, type EndedAttempt } from './ended-attempt.ts';
import { Survey } from './survey.ts';
import { commitTree, NO_CHANGES, workAndVerify, type VerifiedWork } from './verify.ts';
import type { ModelWay, CurrentPlan, Way } from './way.ts';

/** Work of a task, from which the result is built. */
export interface SolvedTask extends VerifiedWork {
  /** Name of the model; empty if none is used. */
  model: string;
  plan?: CurrentPlan | undefined;
}

export interface SolveOptions {
  way: ModelWay;
  plan: AttemptPlan;
  models: ModelSource;
}

/** Endings after which the tree is left unchanged, since no caller waits for a result. */
const IMMEDIATE_ENDINGS: ReadonlySet<TerminationReason> = new Set(['cancelled', 'shutdown']);

/** Runs the attempts. Rejects only on bugs, storage errors and git errors. */
export async function solve(
  wholeRun: TaskRun,
  { way: modelWay, plan, models: source }: SolveOptions,
): Promise<SolvedTask> {
  const ended: EndedAttempt[] = [];
  const models = new AttemptModels(plan, source);
  for (;;) {
    await restoreStartTree(wholeRun, ended);
    const number = ended.length + 1;
    const run = createAttemptRun(wholeRun, ended, plan);
    const survey = new Survey(run);
    try {
      // A model that is opened for one attempt also serves the next attempts.
      const opened = await models.open({ ...run, control: wholeRun.control }, number, (model) => {
        if (modelWay.usesSurvey) survey.begin(model);
      });
      const model = opened.ok ? opened.models.ownModel.name : opened.model;
      if (!opened.ok && ended.length === 0) {
        const found = wholeRun.foundTree;
        if (found === undefined) return { ...createEmptyWork(opened.ending), model };
        // Work from before a restart is still checked and returned, without a model.
        await restoreTree(wholeRun, found);
      }
      if (plan.count > 1 && opened.ok)
        wholeRun.emit(createAttemptEvent({ number, of: plan.count, model }, ended));
      const way: Way = opened.ok
        ? modelWay.open({ run, models: opened.models, survey })
        : { run: () => Promise.resolve(opened.ending) };
      const baseOfAttempt = async () => (await survey.startedResult)?.baseReport;
      // The task's base is the base of its first attempt.
      const base = async () => (ended[0] ? ended[0].base : baseOfAttempt());
      const verified = await workAndVerify(run, way, base);
      const solved: SolvedTask = { ...verified, model, plan: way.getPlanFields?.() };
      if (plan.count === 1 || IMMEDIATE_ENDINGS.has(verified.ending.reason)) return solved;
      const attempt = await buildEndedAttempt(run, { number, model, verified, base: await baseOfAttempt() });
      const isLast = !opened.ok || !mayTryAgain(wholeRun, attempt, plan, models);
      if (isLast && number === 1) return solved;
      if (isLast && !isUnsolved(attempt, wholeRun))
        return appendSentence(solved, `Attempt ${number} (${model}) passes the checks.`);
      ended.push(attempt);
      if (isLast) return returnBest(wholeRun, ended, solved);
    } finally {
      await survey.close();
    }
  }
}

const createEmptyWork = (ending: Ending): VerifiedWork => ({ ending, changes: NO_CHANGES, reports: [] });

async function buildEndedAttempt(
  run: TaskRun,
  {
    number,
    model,
    verified: { ending, reports, changes, proof },
    base,
  }: Pick<EndedAttempt, 'number' | 'model' | 'base'> & { verified: VerifiedWork },
): Promise<EndedAttempt> {
  const tree = await storeTree(run);
  return { number, model, ending, reports, files: changes.files, base, tree, proof };
}

/** Returns whether there is evidence that the task is not solved. */
function isUnsolved(attempt: EndedAttempt, { task }: TaskRun): boolean {
  const hasChecks = !task.skip_verification && task.verification_steps.length > 0;
  const { ending, reports } = attempt;
  const report = reports.at(-1);
  if (!report) return hasChecks || ending.reason !== 'final_answer';
  return report.status !== 'pass' || isDoubtful(attempt);
}

function mayTryAgain(
  wholeRun: TaskRun,
  last: EndedAttempt,
  plan: AttemptPlan,
  models: AttemptModels,
): boolean {
  const { reason } = last.ending;
  // A stop of the whole task would also end another attempt. The time limit of one attempt may pass earlier.
  if (last.number >= plan.count || wholeRun.control.stopReason !== undefined) return false;
  if (reason === 'budget_exhausted') return false;
  // If a server fails with one model, another model may work. The same request was retried already.
  if (reason === 'model_error' && !models.hasOtherModel(last.number + 1)) return false;
  return isUnsolved(last, wholeRun);
}

/** Restores the attempt that came closest and returns it as the result. `lastSolved`: the work of the last attempt. */
async function returnBest(
  wholeRun: TaskRun,
  ended: readonly EndedAttempt[],
  lastSolved: SolvedTask,
): Promise<SolvedTask> {
  const last = ended.at(-1);
  const best = findClosest(ended);
  if (!best || !last) throw new Error('no attempt has ended');
  const isThere = best === last || (await restoreTree(wholeRun, best.tree));
  const given = isThere ? best : last;
  const changes = given === last ? lastSolved.changes : await commitTree(wholeRun);
  // If the task was stopped, the result has that ending, even if an earlier attempt is returned.
  const isStopped = wholeRun.control.stopReason !== undefined || last.ending.reason === 'budget_exhausted';
  const ending = isStopped ? { ...last.ending, output: given.ending.output } : given.ending;
  const { number, reports, proof, model } = given;
  const solved = { ending, changes, reports, proof, model };
  if (ended.length === 1) return solved;
  return appendSentence(
    solved,
    `None of ${ended.length} attempts is verified. This is attempt ${number} (${model}), which came closest.`,
  );
}

/** Appends a sentence on the attempts to the output. */
const appendSentence = (solved: SolvedTask, sentence: string): SolvedTask => ({
  ...solved,
  ending: { ...solved.ending, output: [solved.ending.output, sentence].filter(Boolean).join('\n\n') },
});
