/**
 * Opens the attempts at a task one after the other, each with the model whose turn it is. Where that one is not installed or
 * cannot be made ready, people are told and the attempt is made with another.
 */
import type { Attempt, Opened, OpenedRun } from '../attempt.ts';
import type { ModelWishes, OpenedModels } from '../../asking/models/open-models.ts';
import type { TaskModels } from '../../asking/models/task-models.ts';
import { hasWorked } from '../../task/derived-journal.ts';
import { runPart } from '../../task/run-part.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { stoppedEnding } from '../../task/stopped-ending.ts';
import type { OpenWay } from '../way-of-solving.ts';
import { modelsFor, type AttemptPlan } from './attempt-plan.ts';
import { keptAttempts, type EndedAttempt } from './ended-attempt.ts';
import { earlierAttempts } from './tell-attempts.ts';

export interface SeriesOptions {
  opened: OpenedRun;
  plan: AttemptPlan;
  openModels: (run: TaskRun, wish: ModelWishes) => Promise<OpenedModels>;
  openWay: OpenWay;
}

/**
 * The first attempt of this life, with the series that it belongs to; without a model there is none. What a way can do
 * without its model is done while that is loaded.
 */
export async function openSeries({ opened, plan, openModels, openWay }: SeriesOptions): Promise<Opened> {
  const { run: whole, onClose, close } = opened;
  const ended = keptAttempts(whole.journal);
  const last = ended.at(-1);
  if (last) whole.totals.goOnFrom(last.used);
  const told = new Set<string>();
  const wishFor = (number: number): ModelWishes => ({ names: modelsFor(plan, number), told });
  const run = attemptRun(whole, ended, plan);
  let waiting = openWay(run);
  onClose(() => waiting.close?.());
  // What earlier attempts left may have to be cleared away before anything of this one can begin.
  const early = ended.length === 0 ? waiting : undefined;
  // What is opened for one attempt serves the next ones, too.
  const ofTheTask = (attempt: TaskRun): TaskRun => ({ ...attempt, control: whole.control });
  const first = await openModels(ofTheTask(run), {
    ...wishFor(Math.min(ended.length + 1, plan.count)),
    onChosen: (model) => early?.begin?.(model),
  });
  if (!first.ok) {
    await waiting.close?.();
    return withoutModel(opened, run, ended, first);
  }
  let models = first.models;

  const attemptWith = (attempt: TaskRun): Attempt => ({
    run: attempt,
    way: waiting.open(models),
    model: models.own.name,
    close,
  });
  const next = async (past: readonly EndedAttempt[]): Promise<Attempt> => {
    const later = attemptRun(whole, past, plan);
    await waiting.close?.();
    waiting = openWay(later);
    const wish: ModelWishes = { ...wishFor(past.length + 1), onChosen: (model) => waiting.begin?.(model) };
    models = await nextModels(ofTheTask(later), models, wish, openModels);
    return attemptWith(later);
  };
  const attempt = attemptWith(run);
  if (plan.count === 1) return { ok: true, attempt };
  const series = {
    of: plan.count,
    run: whole,
    ended,
    hasOtherModel: (past: readonly EndedAttempt[]) => modelsFor(plan, past.length + 1)[0] !== models.own.name,
    next,
  };
  return { ok: true, attempt: Object.assign(attempt, { series }) };
}

/** The first attempt has the task's own journal; later ones keep their stages apart. */
function attemptRun(whole: TaskRun, ended: readonly EndedAttempt[], plan: AttemptPlan): TaskRun {
  const run = withShare(whole, plan.count - ended.length);
  if (ended.length === 0) return run;
  const number = ended.length + 1;
  return {
    ...runPart(run, `attempt-${number}`),
    attempt: {
      number,
      earlier: earlierAttempts(ended, run.control.heard),
      triedModels: ended.map(({ model }) => model),
    },
  };
}

/** The first answer of a small model on a processor takes most of this. */
const LEAST_SHARE_MS = 60_000;

/** The run with its share of the time that is left to so many attempts; the last one may take all of it. */
function withShare(run: TaskRun, attemptsLeft: number): TaskRun {
  const { leftMs } = run.control;
  const timeoutMs = Math.max(LEAST_SHARE_MS, leftMs / Math.max(1, attemptsLeft));
  if (timeoutMs >= leftMs) return run;
  return { ...run, control: run.control.part(timeoutMs), limits: { ...run.limits, timeoutMs } };
}

/** Nothing can be done without a model, but what earlier lives of the task did is still checked and handed back. */
function withoutModel(
  { run: whole, close }: OpenedRun,
  run: TaskRun,
  ended: readonly EndedAttempt[],
  failed: Exclude<OpenedModels, { ok: true }>,
): Opened {
  if (!hasWorked(whole.journal)) return failed;
  const { ending, model } = failed;
  const attempt: Attempt = { run, way: { run: () => Promise.resolve(ending) }, model, close };
  if (ended.length === 0) return { ok: true, attempt };
  const next = () => Promise.reject(new Error('there is no model for another attempt'));
  const series = { of: ended.length + 1, run: whole, ended, hasOtherModel: () => false, next };
  return { ok: true, attempt: { ...attempt, series } };
}

/** The models of the next attempt: those of the last one where the ladder has no other that can be used. */
async function nextModels(
  run: TaskRun,
  models: TaskModels,
  wishes: ModelWishes,
  openModels: SeriesOptions['openModels'],
): Promise<TaskModels> {
  const current = models.own.name;
  const [wanted = current] = wishes.names;
  if (wanted === current) return models;
  const opened = await openModels(run, { ...wishes, names: [...wishes.names, current] });
  if (opened.ok) return opened.models;
  const { detail } = run.control.stopReason === undefined ? opened.ending : stoppedEnding(run);
  run.emit({
    event_type: 'status',
    text: `${opened.model} cannot be used (${detail}); going on with ${current}`,
  });
  return models;
}
