/**
 * Collects facts on a task before the first call of the model: the outcome of the checks on the base, and the brief of the repository. Both
 * are collected while the model is loaded, without its answers. The checks run in a tree of their own. Slow checks continue during the
 * first call.
 */
import { computeBriefBudget } from '../brief/budget.ts';
import { openFolderFiles } from '../brief/folder-files.ts';
import { gatherBrief } from '../brief/gather-brief.ts';
import type { BaseCheck, Brief, TreeFiles } from '../brief/types.ts';
import { waitAtMost } from '../../base/system/clock.ts';
import { DEFAULT_CHARS_PER_TOKEN } from '../../model/token-estimate.ts';
import type { CheckResult, VerificationReport } from '../../base/protocol/result.ts';
import { formatCheckName } from '../verification/correction.ts';
import { hidesExitCode } from '../verification/printed-text.ts';
import { runTaskChecks } from '../task/checking/run-task-checks.ts';
import { summarizeChecks } from '../drafts/draft-events.ts';
import type { ChosenModel, ReadyModel } from '../model-calls/models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';

export interface SurveyResult {
  brief: Brief;
  /**
   * Report of the checks on the base; undefined if there are no checks or the tree could not be copied. Rejects only on a storage error.
   */
  baseReport: Promise<VerificationReport | undefined>;
}

/** Maximum time for which the brief waits for the checks. Slow checks continue during the first call. */
const MAX_CHECKS_WAIT_MS = 60_000;
const MAX_PLAIN_CHARS = 600;

interface BriefSize {
  budgetTokens: number;
  charsPerToken: number;
}

/** The survey of one run's tree. It runs at most once. `close` ends its running parts. */
export class Survey {
  readonly #run: TaskRun;
  readonly #closeController = new AbortController();
  readonly #signal: AbortSignal;
  #baseChecks: Promise<BaseChecks> | undefined;
  /** Brief for the expected size of the model, gathered before the model is loaded. */
  #earlyBrief: { size: BriefSize; brief: Promise<Brief> } | undefined;
  #result: Promise<SurveyResult> | undefined;
  #files: TreeFiles | undefined;

  constructor(run: TaskRun) {
    this.#run = run;
    this.#signal = AbortSignal.any([run.control.signal, this.#closeController.signal]);
  }

  /** Starts the survey for a model that is being loaded; does nothing if briefs are disabled. */
  begin({ windowTokens, tokensPerSecond }: ChosenModel): void {
    if (this.#run.config.brief.seconds === 0) return;
    const checking = this.#startBaseChecks();
    if (this.#earlyBrief) return;
    const charsPerToken = DEFAULT_CHARS_PER_TOKEN;
    const size = computeBriefSize(this.#run, { tokensPerSecond, windowTokens, charsPerToken });
    const brief = checking.then(({ endedChecks }) => this.#gatherBrief(size, endedChecks));
    // Prevents an unhandled rejection if nothing awaits the brief; callers that await it get the error.
    brief.catch(() => undefined);
    this.#earlyBrief = { size, brief };
  }

  /** Returns the result of the survey for a model. Rejects only on a storage error. */
  prepareResult(model: ReadyModel): Promise<SurveyResult> {
    this.#result ??= this.#createResult(model);
    return this.#result;
  }

  /** Result of the survey if it was started, else undefined. */
  get startedResult(): Promise<SurveyResult> | undefined {
    return this.#result;
  }

  /** Aborts the checks that still run. Never rejects. */
  async close(): Promise<void> {
    this.#closeController.abort();
    const checked = this.#baseChecks?.then(({ baseReport }) => baseReport);
    await Promise.allSettled([checked, this.#earlyBrief?.brief]);
  }

  #startBaseChecks(): Promise<BaseChecks> {
    this.#baseChecks ??= startBaseChecks(this.#run, {
      signal: this.#signal,
      closeSignal: this.#closeController.signal,
    });
    this.#baseChecks.catch(() => undefined);
    return this.#baseChecks;
  }

  async #createResult({ tokensPerSecond, session, estimator }: ReadyModel): Promise<SurveyResult> {
    const { baseReport, endedChecks } = await this.#startBaseChecks();
    const { windowTokens } = session;
    const size = computeBriefSize(this.#run, {
      tokensPerSecond,
      windowTokens,
      charsPerToken: estimator.charsPerToken,
    });
    const early =
      this.#earlyBrief && isSameSize(this.#earlyBrief.size, size) ? this.#earlyBrief.brief : undefined;
    return { brief: await (early ?? this.#gatherBrief(size, endedChecks)), baseReport };
  }

  #gatherBrief(size: BriefSize, checks: readonly BaseCheck[]): Promise<Brief> {
    const { task, workspace } = this.#run;
    const signal = this.#signal;
    this.#files ??= openFolderFiles({ dir: workspace.dir, signal });
    return gatherBrief({ task, files: this.#files, ...size, checks, signal });
  }
}

function computeBriefSize(
  { config }: TaskRun,
  {
    tokensPerSecond,
    windowTokens,
    charsPerToken,
  }: Omit<ChosenModel, 'name'> & Pick<BriefSize, 'charsPerToken'>,
): BriefSize {
  const budgetTokens = computeBriefBudget({
    windowTokens,
    seconds: config.brief.seconds,
    prefillTokensPerSecond: tokensPerSecond,
  });
  return { budgetTokens, charsPerToken };
}

const isSameSize = (a: BriefSize, b: BriefSize): boolean =>
  a.budgetTokens === b.budgetTokens && a.charsPerToken === b.charsPerToken;

interface BaseChecks {
  /** Checks that ended in time for the brief. */
  endedChecks: readonly BaseCheck[];
  baseReport: SurveyResult['baseReport'];
}

interface BaseCheckOptions {
  /** Aborts the checks. */
  signal: AbortSignal;
  /** Aborted when the attempt is over. The outcome is not shown after that. */
  closeSignal: AbortSignal;
}

async function startBaseChecks(run: TaskRun, { signal, closeSignal }: BaseCheckOptions): Promise<BaseChecks> {
  const { task, emit } = run;
  const none: BaseChecks = { endedChecks: [], baseReport: Promise.resolve(undefined) };
  if (task.skip_verification || task.verification_steps.length === 0) return none;
  emit({ event_type: 'status', text: 'Running the checks on the base' });
  const ended: BaseCheck[] = [];
  const base = runTaskChecks(run, {
    state: 'present',
    runNumber: 0,
    signal,
    onCheck: (check, essence = toPlainEssence(check.output)) =>
      ended.push({ name: formatCheckName(check), passed: check.status === 'pass', essence }),
    onFailure: (reason) => emit({ event_type: 'status', text: `No check ran on the base: ${reason}` }),
  }).then((report) => {
    // The outcome of an attempt that is over is not shown.
    if (report && !closeSignal.aborted) emitBaseReport(run, report);
    return report;
  });
  // Callers that await the report get the storage error. Here only the time matters.
  const over = base.catch(() => undefined);
  await waitAtMost(run.clock, over, MAX_CHECKS_WAIT_MS, signal);
  return { endedChecks: [...ended], baseReport: base };
}

function emitBaseReport({ emit }: TaskRun, report: VerificationReport): void {
  emit({
    event_type: 'status',
    text: `Before the task: ${summarizeChecks(report)}`,
    duration_ms: Math.round(report.duration_ms),
    checks: report.summary,
  });
  for (const check of report.checks.filter(hidesExitCode))
    emit({ event_type: 'status', text: warningOf(check) });
}

/** Converts the output of a check that ran no command to an essence. */
const toPlainEssence = (output: string): BaseCheck['essence'] => ({
  runner: 'other',
  failed: [],
  errors: [],
  passing: [],
  skipped: 0,
  text: output.slice(0, MAX_PLAIN_CHARS),
});

const warningOf = (check: CheckResult): string =>
  `Warning: ${formatCheckName(check)} exits with code 0 although its output reports failed tests. The command hides the exit code of the tests (for example with "| tee", "|| true" or "; echo"), so the check counts as failed while its output reports failed tests`;
