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
import { formatCheckName, listFailingChecks, hasRun } from '../verification/correction.ts';
import { buildFollowUp } from './follow-up.ts';
import { formatEscapingLinksNote } from '../verification/links-out.ts';

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
  unconfinedReason?: string;
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
  hasWorkLeft?: boolean;
  /** Report of the checks on the base. */
  base?: VerificationReport;
}

type CheckState = 'none' | 'unrun' | 'all' | 'some' | 'zero' | 'broken';
type Verdict = readonly [TaskResult['status'], VerificationStatus];

/** Builds the result. A worker reports `status: failed` as `task_failed` with `error`. */
export function buildResult(input: ResultInput): TaskResult {
  const { task, run, reports, changes, proof } = input;
  const checks = summarizeChecks(input);
  const [status, verification] = decideVerdict(input, checks);
  const isPartial = status === 'partial';
  const { completed, remaining: open } = listProgress(input);
  const doubts = isPartial ? (proof?.doubts ?? []).map(shortenLine) : [];
  const isExhausted = isPartial && run.termination === 'budget_exhausted' && run.detail !== undefined;
  const remaining = [...open, ...doubts, ...(isExhausted ? [shortenLine(`budget: ${run.detail}`)] : [])];
  const report = reports.at(-1);
  const links = formatEscapingLinksNote(changes.patch) ?? [];
  const notes = [...[...(proof?.doubts ?? []), ...(proof?.notes ?? [])].map(shortenLine), links].flat();
  const hasDetail = run.detail !== undefined && run.termination !== 'final_answer';
  const isUnneeded =
    isPartial &&
    changes.files.length === 0 &&
    proof?.base?.status === 'pass' &&
    checks === 'all' &&
    open.length === 0;
  return {
    status,
    verification_status: verification,
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
    ...(hasDetail && { termination_detail: shorten(run.detail ?? '', MAX_ERROR_CHARS) }),
    ...(run.isEstimated && { tokens_estimated: true }),
    ...(run.modelUse && { model_use: run.modelUse }),
    ...(report && { verification_report: removeInternalFields(report) }),
    ...(reports.length > 1 && { verification_history: reports.map(removeInternalFields) }),
    ...(notes.length > 0 && { verification_notes: notes }),
    ...(proof?.base && report && { check_changes: checkChanges(proof.base, report) }),
    ...(verification === 'verified' &&
      proof?.base && {
        evidence: listFailingChecks(proof.base).some(hasRun) ? 'fail_to_pass' : 'pass_to_pass',
      }),
    ...(input.unconfinedReason !== undefined && { unconfined: input.unconfinedReason }),
    ...(input.plan !== undefined && { plan: input.plan }),
    ...(status === 'failed' && { error: formatError(run, report, remaining) }),
    ...(isUnneeded && { nothing_to_do: true }),
    ...(isPartial &&
      !proof?.needsPermission &&
      !isUnneeded && {
        follow_up: buildFollowUp({
          task,
          run,
          changes,
          completed,
          remaining: open,
          notAccepted: doubts,
          fetchableCommit: input.fetchableCommit,
        }),
      }),
  };
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

function decideVerdict({ run, changes, planItems = [], proof }: ResultInput, checks: CheckState): Verdict {
  // Only the local history shows this, since a cancelled task sends no result.
  if (run.termination === 'cancelled') return ['failed', 'unverified'];
  const hasChanges = changes.files.length > 0;
  const hasOutput = run.output.trim() !== '';
  const hasOpenItems = planItems.some(({ done }) => !done);
  const isDoubted = (proof?.doubts.length ?? 0) > 0;
  const hasFinished = run.termination === 'final_answer' || run.termination === 'exit_code';
  switch (checks) {
    case 'all':
      if (!hasOpenItems && !isDoubted) return ['success', 'verified'];
      if (hasChanges || !isDoubted) return ['partial', 'partial_pass'];
      return [hasFinished && !hasOpenItems && !proof?.hasWorkLeft ? 'success' : 'partial', 'unverified'];
    case 'some':
      return ['partial', 'partial_pass'];
    case 'zero':
      return [hasChanges ? 'partial' : 'failed', 'failed'];
    case 'broken':
      return [hasChanges ? 'partial' : 'failed', 'execution_failed'];
    case 'unrun':
      return [hasChanges || hasOutput ? 'partial' : 'failed', 'unverified'];
    case 'none':
      if (!hasChanges && !hasOutput) return ['failed', 'unverified'];
      if (hasOpenItems) return ['partial', 'partial_pass'];
      return [hasFinished && !(hasChanges && isDoubted) ? 'success' : 'partial', 'unverified'];
    default:
      return checks satisfies never;
  }
}

/** Summarizes the last report. Checks that were skipped, aborted or not started have not passed. */
function summarizeChecks({ task, reports }: ResultInput): CheckState {
  const checks = reports.at(-1)?.checks ?? [];
  if (checks.length === 0) return areChecksMissing(task, reports) ? 'unrun' : 'none';
  const count = (...statuses: CheckResult['status'][]): number =>
    checks.filter(({ status }) => statuses.includes(status)).length;
  if (count('pass') > 0) return count('pass') === checks.length ? 'all' : 'some';
  if (count('skip') === checks.length) return 'unrun';
  return count('error', 'skip') === checks.length ? 'broken' : 'zero';
}

/** Returns whether the task has checks but no report. */
const areChecksMissing = (task: Task, reports: ResultInput['reports']): boolean =>
  reports.length === 0 && !task.skip_verification && task.verification_steps.length > 0;

const MAX_LINE_CHARS = 300;
const MAX_ERROR_CHARS = 2000;
const shortenLine = (text: string): string => shorten(text, MAX_LINE_CHARS);

/** Lists the completed and the remaining work, one line for each check and plan item. */
function listProgress({ task, reports, planItems = [] }: ResultInput) {
  const unrun = areChecksMissing(task, reports) ? task.verification_steps : [];
  const items = [
    ...unrun.map((step) => ({
      line: `${formatCheckName({ ...step, description: step.description ?? '' })}: the check was not run`,
      done: false,
    })),
    ...(reports.at(-1)?.checks ?? []).map((check) => ({
      line:
        check.status === 'pass'
          ? formatCheckName(check)
          : `${formatCheckName(check)}: ${describeFailure(check)}`,
      done: check.status === 'pass',
    })),
    ...planItems.map(({ description, done }) => ({ line: description, done })),
  ];
  const linesOf = (isDone: boolean): string[] =>
    items.filter(({ done }) => done === isDone).map(({ line }) => shortenLine(line));
  return { completed: linesOf(true), remaining: linesOf(false) };
}

/** Returns the first error or the failing tests that the output names, or else the first line of the output, or else the status. */
function describeFailure({ essence, output, status, target, description }: CheckResult): string {
  const { failed = [], errors = [], runner = 'other' } = essence ?? {};
  if (runner !== 'other' && errors[0] !== undefined) return readFirstLine(errors[0]);
  if (failed.length > 0) return `${failed.length} failing: ${failed.join('; ')}`;
  const line = readFirstLine(output);
  // The command before the check's result is its name, too, unless the check has a description.
  const command = `\`${target}\` `;
  return (description === '' && line.startsWith(command) ? line.slice(command.length) : line) || status;
}

const readFirstLine = (text: string): string => /\S.*/.exec(text)?.[0].trim() ?? '';

function formatError(
  { termination, iterations, code, detail }: RunOutcome,
  report: VerificationReport | undefined,
  remaining: readonly string[],
): string {
  const failureText = report
    ? `no check passed (${remaining.join('; ')})`
    : 'the model gave no answer and changed nothing';
  const counted = `${iterations} iteration${iterations === 1 ? '' : 's'}`;
  const text = `${code === undefined ? '' : `${code}: `}${detail ?? failureText}`;
  return shorten(`${termination} after ${counted}: ${text}`, MAX_ERROR_CHARS);
}
