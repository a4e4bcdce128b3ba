/**
 * What is known of a task before the model is asked anything: what the checks say of the untouched tree, and the brief
 * of the repository. The checks run in a copy of the tree, so that nothing of theirs stays in the task's; slow ones go on
 * beside the first call. Both are kept in the journal: a task that is resumed shows and judges by the same.
 */
import { runBaseChecks, type BaseChecks } from '../../brief/base-checks.ts';
import { briefBudgetTokens } from '../../brief/budget.ts';
import { folderFiles } from '../../brief/folder-files.ts';
import { gatherBrief } from '../../brief/gather-brief.ts';
import type { BaseCheck, Brief } from '../../brief/types.ts';
import type { TaskJournal } from '../../ports.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import { recordedReport } from '../checking/recorded-report.ts';
import { canFork, openFork } from '../drafts/draft-tree.ts';
import { checksOf } from '../drafts/tell-draft.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { TaskRun } from '../task/task-run.ts';

/** Names of stages in the journal. */
export const GROUND_STAGES = { base: 'check-base', brief: 'brief' } as const;

export interface Ground {
  brief: Brief;
  /** Undefined where there are no checks, or no copy of the tree could be made. Rejects only for a failing disk. */
  base: Promise<VerificationReport | undefined>;
}

/** Runs the checks on the untouched tree and gathers the brief. Rejects only for a failing disk. */
export async function surveyGround(run: TaskRun, model: ReadyModel): Promise<Ground> {
  const checking = await checkBase(run);
  const brief = keptBrief(run.journal) ?? (await newBrief(run, model, checking.ended));
  return { brief, base: checking.base };
}

interface Checking {
  /** The checks that the brief can speak of. */
  ended: readonly BaseCheck[];
  base: Ground['base'];
}

async function checkBase(run: TaskRun): Promise<Checking> {
  const { task, journal, emit } = run;
  const none: Checking = { ended: [], base: Promise.resolve(undefined) };
  if (task.skip_verification || task.verification_steps.length === 0 || !canFork(run)) return none;
  const past = await recordedReport(journal, GROUND_STAGES.base, () => Promise.resolve(undefined));
  if (past) return { ended: [], base: Promise.resolve(past) };
  // In an earlier life the loop began without knowing them; by now the tree is no longer untouched.
  if ((journal?.read('run').length ?? 0) > 0) return none;
  emit({ event_type: 'status', text: 'Running the checks on the untouched tree' });
  const forked = await openFork(run);
  if (!forked.ok) {
    emit({ event_type: 'status', text: `The untouched tree was not checked: ${forked.failure.message}` });
    return none;
  }
  const { fork, close } = forked.value;
  const checks = await runBaseChecks({
    steps: task.verification_steps,
    env: fork.env,
    workspace: fork.workspace,
    clock: run.clock,
    taskId: task.task_id,
    timeoutMs: run.limits.verificationTimeoutMs,
    signal: run.control.signal,
    restore: close,
  });
  const base = recorded(run, checks);
  // Whoever needs the report learns of a failing disk; nobody may.
  base.catch(() => undefined);
  return { ended: checks.checks, base };
}

/** A task that was stopped meanwhile has learned nothing of its tree. */
async function recorded(run: TaskRun, checks: BaseChecks): Ground['base'] {
  const { report } = await checks.finished;
  run.emit({
    event_type: 'status',
    text: `The untouched tree: ${checksOf(report)}`,
    duration_ms: Math.round(report.duration_ms),
    checks: report.summary,
  });
  if (run.control.stopReason !== undefined) return report;
  return recordedReport(run.journal, GROUND_STAGES.base, () => Promise.resolve(report));
}

async function newBrief(
  run: TaskRun,
  { name, session, estimator }: ReadyModel,
  checks: readonly BaseCheck[],
): Promise<Brief> {
  const { task, config, journal, prefillRates, workspace, control } = run;
  const brief = await gatherBrief({
    task,
    files: folderFiles({ dir: workspace.dir, signal: control.signal }),
    budgetTokens: briefBudgetTokens({
      windowTokens: session.windowTokens,
      seconds: config.brief.seconds,
      prefillTokensPerSecond: prefillRates?.rateOf(name),
    }),
    charsPerToken: estimator.charsPerToken,
    checks,
    signal: control.signal,
  });
  journal?.append([{ kind: 'input', stage: GROUND_STAGES.brief, round: 0, call: 0, body: brief }]);
  return brief;
}

const keptBrief = (journal: TaskJournal | undefined): Brief | undefined =>
  journal?.read(GROUND_STAGES.brief)[0]?.body as Brief | undefined;
