/**
 * Facts of a task before the model is asked anything: the outcome of the checks on the base, and the brief
 * of the repository. Both need no answer of the model and are made while it is loaded. The checks run in a
 * tree of their own; slow ones go on beside the first call.
 */
import { briefBudgetTokens } from '../brief/budget.ts';
import { folderFiles } from '../brief/folder-files.ts';
import { gatherBrief } from '../brief/gather-brief.ts';
import type { BaseCheck, Brief, TreeFiles } from '../brief/types.ts';
import { waitAtMost } from '../../base/system/clock.ts';
import { DEFAULT_CHARS_PER_TOKEN } from '../../model/token-estimate.ts';
import type { CheckResult, VerificationReport } from '../../base/protocol/result.ts';
import { checkName } from '../verification/correction.ts';
import { hidesExitCode } from '../verification/printed-text.ts';
import { runTaskChecks, hasCheckTree } from '../task/checking/run-task-checks.ts';
import { checksOf } from '../drafts/draft-events.ts';
import type { ComingModel, ReadyModel } from '../model-calls/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';

export interface Surveyed {
  brief: Brief;
  /** Undefined where there are no checks, or no copy of the tree could be made. Rejects only for a failing disk. */
  base: Promise<VerificationReport | undefined>;
}

/** How long the checks are waited for before the brief is made; slow ones go on beside the first call. */
const PATIENCE_MS = 60_000;
const MAX_PLAIN_CHARS = 600;

/** The size of a brief. */
interface BriefSize {
  budgetTokens: number;
  charsPerToken: number;
}

/** The survey of one run's tree. Made once, early or late; `close` ends what still goes on. */
export class Survey {
  readonly #run: TaskRun;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  #checking: Promise<Checking> | undefined;
  /** Gathered for what is known of a model before it is loaded. */
  #early: { size: BriefSize; brief: Promise<Brief> } | undefined;
  #surveyed: Promise<Surveyed> | undefined;
  #files: TreeFiles | undefined;

  constructor(run: TaskRun) {
    this.#run = run;
    this.#signal = AbortSignal.any([run.control.signal, this.#closed.signal]);
  }

  /** Begins, for a model that is being loaded; where no brief is wanted, nothing is. */
  begin({ windowTokens, tokensPerSecond }: ComingModel): void {
    if (this.#run.config.brief.seconds === 0) return;
    const checking = this.#check();
    if (this.#early) return;
    const charsPerToken = DEFAULT_CHARS_PER_TOKEN;
    const size = briefSize(this.#run, { tokensPerSecond, windowTokens, charsPerToken });
    const brief = checking.then(({ ended }) => this.#gather(size, ended));
    // Whoever needs it learns of a failure; nobody may.
    brief.catch(() => undefined);
    this.#early = { size, brief };
  }

  /** The survey, for the model that is asked. Rejects only for a failing disk. */
  of(model: ReadyModel): Promise<Surveyed> {
    this.#surveyed ??= this.#survey(model);
    return this.#surveyed;
  }

  /** Undefined where nothing was surveyed. */
  get known(): Promise<Surveyed> | undefined {
    return this.#surveyed;
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

  async #survey({ tokensPerSecond, session, estimator }: ReadyModel): Promise<Surveyed> {
    const { base, ended } = await this.#check();
    const { windowTokens } = session;
    const size = briefSize(this.#run, {
      tokensPerSecond,
      windowTokens,
      charsPerToken: estimator.charsPerToken,
    });
    const early = this.#early && isSameSize(this.#early.size, size) ? this.#early.brief : undefined;
    return { brief: await (early ?? this.#gather(size, ended)), base };
  }

  #gather(size: BriefSize, checks: readonly BaseCheck[]): Promise<Brief> {
    const { task, workspace } = this.#run;
    const signal = this.#signal;
    this.#files ??= folderFiles({ dir: workspace.dir, signal });
    return gatherBrief({ task, files: this.#files, ...size, checks, signal });
  }
}

function briefSize(
  { config }: TaskRun,
  {
    tokensPerSecond,
    windowTokens,
    charsPerToken,
  }: Omit<ComingModel, 'name'> & Pick<BriefSize, 'charsPerToken'>,
): BriefSize {
  const budgetTokens = briefBudgetTokens({
    windowTokens,
    seconds: config.brief.seconds,
    prefillTokensPerSecond: tokensPerSecond,
  });
  return { budgetTokens, charsPerToken };
}

const isSameSize = (a: BriefSize, b: BriefSize): boolean =>
  a.budgetTokens === b.budgetTokens && a.charsPerToken === b.charsPerToken;

interface Checking {
  /** The checks that the brief can speak of. */
  ended: readonly BaseCheck[];
  base: Surveyed['base'];
}

interface CheckingOptions {
  /** Ends the checks. */
  signal: AbortSignal;
  /** The attempt is over: their outcome is no longer shown. */
  closed: AbortSignal;
}

async function checkBase(run: TaskRun, { signal, closed }: CheckingOptions): Promise<Checking> {
  const { task, emit } = run;
  const none: Checking = { ended: [], base: Promise.resolve(undefined) };
  if (task.skip_verification || task.verification_steps.length === 0 || !hasCheckTree(run)) return none;
  emit({ event_type: 'status', text: 'Running the checks on the base' });
  const ended: BaseCheck[] = [];
  const base = runTaskChecks(run, {
    state: 'present',
    runNumber: 0,
    signal,
    onCheck: (check, essence = plainEssence(check.output)) =>
      ended.push({ name: checkName(check), passed: check.status === 'pass', essence }),
    onFailure: (reason) => emit({ event_type: 'status', text: `No check ran on the base: ${reason}` }),
  }).then((report) => {
    // The outcome of a task that is over is not shown.
    if (report && !closed.aborted) showBase(run, report);
    return report;
  });
  // Whoever needs the report learns of a failing disk; here only the time matters.
  const over = base.catch(() => undefined);
  await waitAtMost(run.clock, over, PATIENCE_MS, signal);
  return { ended: [...ended], base };
}

function showBase({ emit }: TaskRun, report: VerificationReport): void {
  emit({
    event_type: 'status',
    text: `Before the task: ${checksOf(report)}`,
    duration_ms: Math.round(report.duration_ms),
    checks: report.summary,
  });
  for (const check of report.checks.filter(hidesExitCode))
    emit({ event_type: 'status', text: warningOf(check) });
}

/** The line that a check says which ran no command. */
const plainEssence = (output: string): BaseCheck['essence'] => ({
  runner: 'other',
  failed: [],
  errors: [],
  passing: [],
  skipped: 0,
  text: output.slice(0, MAX_PLAIN_CHARS),
});

const warningOf = (check: CheckResult): string =>
  `Warning: ${checkName(check)} ends with code 0 although its output names failed tests. Its exit code is lost (by "| tee", "|| true", "; echo"): the check counts as failed as long as its output names one`;
