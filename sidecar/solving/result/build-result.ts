/** Builds the result of a run. This pure function implements the table in docs/dev/protocol.md (Results). */
import type {
  Changes,
  CheckResult,
  ModelUseReport,
  TaskResult,
  TerminationReason,
  VerificationReport,
  VerificationStatus,
} from '../../base/protocol/result.ts';
import type { Task } from '../../base/protocol/task.ts';
import { shorten } from '../../base/values/shortening.ts';
import { checkChanges } from '../verification/check-changes.ts';
import { checkName, failingChecks, hasRun } from '../verification/correction.ts';
import { buildFollowUp } from './follow-up.ts';
import { escapingLinksNote } from '../verification/links-out.ts';

/** Ending and cost of a run of the executor. */
export interface RunOutcome {
  termination: TerminationReason;
  /** Details for users: the error for `model_error`; none for `max_iterations`. */
  detail?: string;
  /** Error code; precedes the detail in the error of a failed task. */
  code?: string | undefined;
  /** Final answer; after a forced stop, the last text of the model that is not empty. */
  output: string;
  iterations: number;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  isEstimated?: boolean;
  modelUsed: string;
  executionMs: number;
  modelUse?: ModelUseReport;
}

/** A step or an acceptance criterion of a plan. */
export interface PlanItem {
  description: string;
  done: boolean;
}

export interface ResultInput {
  task: Task;
  run: RunOutcome;
  /** Reports of all verifications, in order; empty if there were no checks or they were skipped. */
  reports: readonly VerificationReport[];
  changes: Changes;
  planItems?: readonly PlanItem[];
  /** Serialised plan of a planned task. */
  plan?: string;
  /** Evaluation of passing checks; undefined without checks. */
  proof?: ChecksProof;
  /** Reason why commands ran without a sandbox. */
  unconfined?: string;
  /** Commit with all changes, if other clones can fetch it; if undefined, a follow-up contains the patch. */
  fetchableCommit?: string;
}

/** Evaluation of passing checks. */
export interface ChecksProof {
  /** Reasons why the checks do not prove the work; empty if they do. */
  doubts: readonly string[];
  notes: readonly string[];
  /** Whether the task changed files that its checks run, without permission. Only an operator can give the permission. */
  needsPermission?: boolean;
  /** Whether a model was asked for a change and made none. */
  isWorkLeft?: boolean;
  /** The checks' report of the base. */
  base?: VerificationReport;
}

type CheckState = 'none' | 'unrun' | 'all' | 'some' | 'zero' | 'broken';
type ResultVerdict = Pick<TaskResult, 'status' | 'verification_status'>;

/** Builds the result. A worker reports `status: failed` as `task_failed` with `error`. */
export function buildResult(input: ResultInput): TaskResult {
  const { task, run, reports, changes } = input;
  const resultVerdict = decideVerdict(input);
  const { completed, remaining: open } = listProgress(input);
  const doubts = (resultVerdict.status === 'partial' && input.proof?.doubts) || [];
  const remaining = [...open, ...doubts.map(shortenLine), ...describeExhaustedBudget(resultVerdict, run)];
  const lastReport = reports.at(-1);
  const result: TaskResult = {
    ...resultVerdict,
    output: run.output,
    model_used: run.modelUsed,
    tokens_in: Math.round(run.tokensIn),
    tokens_out: Math.round(run.tokensOut),
    estimated_cost_usd: run.costUsd,
    execution_ms: Math.round(run.executionMs),
    termination_reason: run.termination,
    iterations_used: run.iterations,
    verification_attempts: reports.length,
    changes,
    completed,
    remaining,
  };
  if (run.detail !== undefined && run.termination !== 'final_answer') {
    result.termination_detail = shorten(run.detail, MAX_ERROR_CHARS);
  }
  if (run.isEstimated) result.tokens_estimated = true;
  if (run.modelUse) result.model_use = run.modelUse;
  if (lastReport) result.verification_report = removeInternalFields(lastReport);
  if (reports.length > 1) result.verification_history = reports.map(removeInternalFields);
  addProof(result, input);
  const links = escapingLinksNote(changes.patch);
  if (links !== undefined) result.verification_notes = [...(result.verification_notes ?? []), links];
  if (input.unconfined !== undefined) result.unconfined = input.unconfined;
  if (input.plan !== undefined) result.plan = input.plan;
  if (resultVerdict.status === 'failed') result.error = formatError(run, lastReport, remaining);
  const havePassedBefore = input.proof?.base?.status === 'pass' && summarizeChecks(input) === 'all';
  const isUnchanged = resultVerdict.status === 'partial' && changes.files.length === 0;
  if (isUnchanged && havePassedBefore && open.length === 0) result.nothing_to_do = true;
  if (resultVerdict.status === 'partial' && !input.proof?.needsPermission && !result.nothing_to_do) {
    result.follow_up = buildFollowUp({
      task,
      run,
      changes,
      completed,
      remaining: open,
      notAccepted: doubts.map(shortenLine),
      fetchableCommit: input.fetchableCommit,
    });
  }
  return result;
}

/** Removes the fields of a report that only the comparison of runs uses. */
function removeInternalFields({ written: _written, ...report }: VerificationReport): VerificationReport {
  const checks = report.checks.map(({ essence, ...check }) => {
    if (!essence) return check;
    const { passing: _passing, not_run: _notRun, ...visibleFields } = essence;
    return { ...check, essence: visibleFields };
  });
  return { ...report, checks };
}

function addProof(result: TaskResult, { proof, reports }: ResultInput): void {
  const notes = [...(proof?.doubts ?? []), ...(proof?.notes ?? [])].map(shortenLine);
  if (notes.length > 0) result.verification_notes = notes;
  const last = reports.at(-1);
  if (proof?.base && last) result.check_changes = checkChanges(proof.base, last);
  if (result.verification_status === 'verified' && proof?.base)
    result.evidence = failingChecks(proof.base).some(hasRun) ? 'fail_to_pass' : 'pass_to_pass';
}

function decideVerdict(input: ResultInput): ResultVerdict {
  const { run, changes, planItems = [], proof } = input;
  // Only the local history shows this, since a cancelled task sends no result.
  if (run.termination === 'cancelled') return { status: 'failed', verification_status: 'unverified' };
  const checks = summarizeChecks(input);
  const hasChanges = changes.files.length > 0;
  const hasOpenItems = planItems.some(({ done }) => !done);
  const isDoubted = hasChanges && (proof?.doubts.length ?? 0) > 0;
  const hasFinished = run.termination === 'final_answer' || run.termination === 'exit_code';
  switch (checks) {
    case 'all':
      if (proof && proof.doubts.length > 0) {
        if (hasChanges) return toVerdict('partial', 'partial_pass');
        return toVerdict(
          hasFinished && !hasOpenItems && !proof.isWorkLeft ? 'success' : 'partial',
          'unverified',
        );
      }
      return hasOpenItems ? toVerdict('partial', 'partial_pass') : toVerdict('success', 'verified');
    case 'some':
      return toVerdict('partial', 'partial_pass');
    case 'zero':
      return toVerdict(hasChanges ? 'partial' : 'failed', 'failed');
    case 'broken':
      return toVerdict(hasChanges ? 'partial' : 'failed', 'execution_failed');
    case 'unrun':
      return toVerdict(hasChanges || run.output.trim() !== '' ? 'partial' : 'failed', 'unverified');
    case 'none':
      if (!hasChanges && run.output.trim() === '') return toVerdict('failed', 'unverified');
      if (hasOpenItems) return toVerdict('partial', 'partial_pass');
      return toVerdict(hasFinished && !isDoubted ? 'success' : 'partial', 'unverified');
    default:
      return checks satisfies never;
  }
}

const toVerdict = (status: TaskResult['status'], verification: VerificationStatus): ResultVerdict => ({
  status,
  verification_status: verification,
});

/** Summarizes the last report. Checks that were skipped, aborted or not started have not passed. */
function summarizeChecks({ task, reports }: Pick<ResultInput, 'task' | 'reports'>): CheckState {
  const checks = reports.at(-1)?.checks ?? [];
  if (checks.length === 0) return areChecksMissing(task, reports) ? 'unrun' : 'none';
  const count = (...statuses: CheckResult['status'][]): number =>
    checks.filter(({ status }) => statuses.includes(status)).length;
  if (count('pass') === checks.length) return 'all';
  if (count('pass') > 0) return 'some';
  if (count('skip') === checks.length) return 'unrun';
  return count('error', 'skip') === checks.length ? 'broken' : 'zero';
}

/** Returns whether the task has checks but no report. */
const areChecksMissing = (task: Task, reports: ResultInput['reports']): boolean =>
  reports.length === 0 && !task.skip_verification && task.verification_steps.length > 0;

const MAX_LINE_CHARS = 300;

/** Lists the completed and the remaining work, one line for each check and plan item. */
function listProgress({ task, reports, planItems = [] }: ResultInput): {
  completed: string[];
  remaining: string[];
} {
  const completed: string[] = [];
  const remaining: string[] = areChecksMissing(task, reports)
    ? task.verification_steps.map((step) =>
        shortenLine(`${checkName({ ...step, description: step.description ?? '' })}: the check was not run`),
      )
    : [];
  for (const check of reports.at(-1)?.checks ?? []) {
    const name = checkName(check);
    if (check.status === 'pass') completed.push(shortenLine(name));
    else remaining.push(shortenLine(`${name}: ${describeFailure(check)}`));
  }
  for (const { description, done } of planItems)
    (done ? completed : remaining).push(shortenLine(description));
  return { completed, remaining };
}

/** Returns the first error or the failing tests that the output names, or else the first line of the output, or else the status. */
function describeFailure({ essence, output, status, target, description }: CheckResult): string {
  const { failed = [], errors = [] } = essence ?? {};
  const [error] = errors;
  if (essence && essence.runner !== 'other' && error !== undefined) return readFirstLine(error);
  if (failed.length > 0) return `${failed.length} failing: ${failed.join('; ')}`;
  const line = readFirstLine(output);
  // The command before the check's result is its name, too, unless the check has a description.
  const command = `\`${target}\` `;
  return (description === '' && line.startsWith(command) ? line.slice(command.length) : line) || status;
}

/** Returns a line on the exhausted budget, with its scope, its limit and the used amount; none for other endings. */
function describeExhaustedBudget({ status }: ResultVerdict, { termination, detail }: RunOutcome): string[] {
  const isExhausted = status === 'partial' && termination === 'budget_exhausted' && detail !== undefined;
  return isExhausted ? [shortenLine(`budget: ${detail}`)] : [];
}

const readFirstLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '') ?? '';
const shortenLine = (text: string): string => shorten(text, MAX_LINE_CHARS);

const MAX_ERROR_CHARS = 2000;

function formatError(
  run: RunOutcome,
  report: VerificationReport | undefined,
  remaining: readonly string[],
): string {
  const failureText = report
    ? `no check passed (${remaining.join('; ')})`
    : 'the model gave no answer and changed nothing';
  const iterations = `${run.iterations} iteration${run.iterations === 1 ? '' : 's'}`;
  const code = run.code === undefined ? '' : `${run.code}: `;
  return shorten(
    `${run.termination} after ${iterations}: ${code}${run.detail ?? failureText}`,
    MAX_ERROR_CHARS,
  );
}
