/**
 * What is known of a task before the model is asked anything: what the checks say of the untouched tree, and the brief
 * of the repository. Both need no answer of the model and are made while it is loaded. The checks run in a
 * tree of their own; slow ones go on beside the first call. Both are kept in the
 * journal: a task that is resumed shows and judges by the same.
 */
import { runBaseChecks, type BaseChecks } from '../brief/base-checks.ts';
import { briefBudgetTokens } from '../brief/budget.ts';
import { folderFiles } from '../brief/folder-files.ts';
import { gatherBrief } from '../brief/gather-brief.ts';
import type { BaseCheck, Brief } from '../brief/types.ts';
import type { TaskJournal } from '../ports.ts';
import { DEFAULT_CHARS_PER_TOKEN } from '../prompt/token-estimate.ts';
import type { CheckResult, VerificationReport } from '../protocol/result.ts';
import { checkName } from '../verification/correction.ts';
import { hidesExitCode } from '../verification/printed-text.ts';
import { hasCheckTree, openCheckTree, recordedReport } from '../task/checking/check-tree.ts';
import { checksOf } from '../drafts/tell-draft.ts';
import type { ComingModel, ReadyModel } from '../asking/models/ready-model.ts';
import type { TaskRun } from '../task/task-run.ts';

/** Names of stages in the journal. */
export const GROUND_STAGES = { base: 'check-base', brief: 'brief' } as const;

export interface Ground {
  brief: Brief;
  /** Undefined where there are no checks, or no copy of the tree could be made. Rejects only for a failing disk. */
  base: Promise<VerificationReport | undefined>;
}

/** What decides how long a brief is. */
interface BriefSize {
  budgetTokens: number;
  charsPerToken: number;
}

/** The survey of one run's tree. Made once, early or late; `close` ends what still goes on. */
export class GroundSurvey {
  readonly #run: TaskRun;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  #checking: Promise<Checking> | undefined;
  /** Gathered for what is known of a model before it is loaded. */
  #early: { size: BriefSize; brief: Promise<Brief> } | undefined;
  #ground: Promise<Ground> | undefined;

  constructor(run: TaskRun) {
    this.#run = run;
    this.#signal = AbortSignal.any([run.control.signal, this.#closed.signal]);
  }

  /** Begins, for a model that is being loaded. */
  begin({ name, windowTokens }: ComingModel): void {
    const checking = this.#check();
    if (this.#early || keptBrief(this.#run.journal)) return;
    const size = briefSize(this.#run, { name, windowTokens, charsPerToken: DEFAULT_CHARS_PER_TOKEN });
    const brief = checking.then(({ ended }) => this.#gather(size, ended));
    // Whoever needs it learns of a failure; nobody may.
    brief.catch(() => undefined);
    this.#early = { size, brief };
  }

  /** What is known, for the model that is asked. Rejects only for a failing disk. */
  of(model: ReadyModel): Promise<Ground> {
    this.#ground ??= this.#survey(model);
    return this.#ground;
  }

  /** Undefined where nothing was surveyed. */
  get known(): Promise<Ground> | undefined {
    return this.#ground;
  }

  /** Ends the checks that still run. Never rejects. */
  async close(): Promise<void> {
    this.#closed.abort();
    const checked = this.#checking?.then(({ base }) => base);
    await Promise.allSettled([checked, this.#early?.brief]);
  }

  #check(): Promise<Checking> {
    this.#checking ??= checkBase(this.#run, {
      signal: this.#signal,
      closed: this.#closed.signal,
    });
    this.#checking.catch(() => undefined);
    return this.#checking;
  }

  async #survey({ name, session, estimator }: ReadyModel): Promise<Ground> {
    const { journal } = this.#run;
    const { base, ended } = await this.#check();
    const kept = keptBrief(journal);
    if (kept) return { brief: kept, base };
    const { windowTokens } = session;
    const size = briefSize(this.#run, { name, windowTokens, charsPerToken: estimator.charsPerToken });
    const early = this.#early && isSameSize(this.#early.size, size) ? this.#early.brief : undefined;
    const brief = await (early ?? this.#gather(size, ended));
    journal?.append([{ kind: 'input', stage: GROUND_STAGES.brief, round: 0, call: 0, body: brief }]);
    return { brief, base };
  }

  #gather(size: BriefSize, checks: readonly BaseCheck[]): Promise<Brief> {
    const { task, workspace } = this.#run;
    const signal = this.#signal;
    return gatherBrief({ task, files: folderFiles({ dir: workspace.dir, signal }), ...size, checks, signal });
  }
}

function briefSize(
  { config, prefillRates }: TaskRun,
  { name, windowTokens, charsPerToken }: ComingModel & Pick<BriefSize, 'charsPerToken'>,
): BriefSize {
  const budgetTokens = briefBudgetTokens({
    windowTokens,
    seconds: config.brief.seconds,
    prefillTokensPerSecond: prefillRates?.rateOf(name),
  });
  return { budgetTokens, charsPerToken };
}

const isSameSize = (a: BriefSize, b: BriefSize): boolean =>
  a.budgetTokens === b.budgetTokens && a.charsPerToken === b.charsPerToken;

interface Checking {
  /** The checks that the brief can speak of. */
  ended: readonly BaseCheck[];
  base: Ground['base'];
}

interface CheckingOptions {
  /** Ends the checks. */
  signal: AbortSignal;
  /** Nobody wants to hear of them any more. */
  closed: AbortSignal;
}

async function checkBase(run: TaskRun, { signal, closed }: CheckingOptions): Promise<Checking> {
  const { task, journal, emit } = run;
  const none: Checking = { ended: [], base: Promise.resolve(undefined) };
  if (task.skip_verification || task.verification_steps.length === 0 || !hasCheckTree(run)) return none;
  const past = await recordedReport(journal, GROUND_STAGES.base, () => Promise.resolve(undefined));
  if (past) return { ended: [], base: Promise.resolve(past) };
  // In an earlier life the loop began without knowing them; by now the tree is no longer untouched.
  if ((journal?.read('run').length ?? 0) > 0) return none;
  emit({ event_type: 'status', text: 'Running the checks on the untouched tree' });
  const opened = await openCheckTree(run, 'present', { signal });
  if (!opened.ok) {
    emit({ event_type: 'status', text: `No check ran on the untouched tree: ${opened.failure.message}` });
    return none;
  }
  const { run: inTree, close } = opened.value;
  const checks = await runBaseChecks({
    steps: task.verification_steps,
    env: inTree.env,
    workspace: inTree.workspace,
    shownAs: run.workspace.dir,
    clock: run.clock,
    taskId: task.task_id,
    timeoutMs: run.limits.verificationTimeoutMs,
    signal,
    restore: close,
  });
  const base = recorded(run, checks, { closed });
  // Whoever needs the report learns of a failing disk; nobody may.
  base.catch(() => undefined);
  return { ended: checks.checks, base };
}

/** A task that was stopped meanwhile has learned nothing of its tree. */
async function recorded(
  run: TaskRun,
  checks: BaseChecks,
  { closed }: Pick<CheckingOptions, 'closed'>,
): Ground['base'] {
  const { report } = await checks.finished;
  if (closed.aborted) return report;
  run.emit({
    event_type: 'status',
    text: `On the untouched tree: ${checksOf(report)}`,
    duration_ms: Math.round(report.duration_ms),
    checks: report.summary,
  });
  for (const check of report.checks.filter(hidesExitCode))
    run.emit({ event_type: 'status', text: warningOf(check) });
  if (run.control.stopReason !== undefined) return report;
  return recordedReport(run.journal, GROUND_STAGES.base, () => Promise.resolve(report));
}

const warningOf = (check: CheckResult): string =>
  `Warning: ${checkName(check)} ends with code 0 although its output names failed tests. Its exit code is lost (by "| tee", "|| true", "; echo"): the check counts as failed as long as its output names one`;

const keptBrief = (journal: TaskJournal | undefined): Brief | undefined =>
  journal?.read(GROUND_STAGES.brief)[0]?.body as Brief | undefined;
