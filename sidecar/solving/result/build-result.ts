/** Builds the result of a run: the table in docs/dev/protocol.md (Results) as one pure function. */
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

/** How a run of the executor ended, and its cost. */
export interface RunOutcome {
  termination: TerminationReason;
  /** Details for readers: none for `max_iterations`; the error for `model_error`. */
  detail?: string;
  /** Prefix of the detail in the error of a failed task. */
  code?: string | undefined;
  /** The final answer; after a forced stop the model's last text that is not empty. */
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
  /** Reports of all verifications in order; empty if there are no checks or they were skipped. */
  reports: readonly VerificationReport[];
  changes: Changes;
  planItems?: readonly PlanItem[];
  /** Serialised plan of a planned task. */
  plan?: string;
  /** Evaluation of passing checks, besides their reports. */
  proof?: ChecksProof;
  /** Reason why commands ran without a sandbox. */
  unconfined?: string;
  /** Commit with all changes that other clones can fetch; if undefined, a follow-up contains the patch. */
  fetchableCommit?: string;
}

/** Evaluation of passing checks. */
export interface ChecksProof {
  /** Reasons why the checks do not prove the work; empty if they do. */
  doubts: readonly string[];
  notes: readonly string[];
  /** Whether the task changed files that its checks run, without permission. Only an operator can give it. */
  needsPermission?: boolean;
  /** Whether a model was asked for a change and made none. */
  isWorkLeft?: boolean;
  /** The checks' report of the base. */
  base?: VerificationReport;
}

type CheckState = 'none' | 'unrun' | 'all' | 'some' | 'zero' | 'broken';
type ResultVerdict = Pick<TaskResult, 'status' | 'verification_status'>;

/** Builds the result; a worker reports `status: failed` as `task_failed` with `error`. */
export function buildResult(input: ResultInput): TaskResult {
  const { task, run, reports, changes } = input;
  const verdict = decide(input);
  const { completed, remaining: open } = progressOf(input);
  const doubts = (verdict.status === 'partial' && input.proof?.doubts) || [];
  const remaining = [...open, ...doubts.map(shortenLine), ...budgetToRaise(verdict, run)];
  const last = reports.at(-1);
  const result: TaskResult = {
    ...verdict,
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
  if (last) result.verification_report = forReaders(last);
  if (reports.length > 1) result.verification_history = reports.map(forReaders);
  addProof(result, input);
  const links = escapingLinksNote(changes.patch);
  if (links !== undefined) result.verification_notes = [...(result.verification_notes ?? []), links];
  if (input.unconfined !== undefined) result.unconfined = input.unconfined;
  if (input.plan !== undefined) result.plan = input.plan;
  if (verdict.status === 'failed') result.error = errorText(run, last, remaining);
  const passedBefore = input.proof?.base?.status === 'pass' && stateOfChecks(input) === 'all';
  const isUnchanged = verdict.status === 'partial' && changes.files.length === 0;
  if (isUnchanged && passedBefore && open.length === 0) result.nothing_to_do = true;
  if (verdict.status === 'partial' && !input.proof?.needsPermission && !result.nothing_to_do) {
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

/** Returns a report without the fields that only the comparison of runs uses. */
function forReaders({ written: _written, ...report }: VerificationReport): VerificationReport {
  const checks = report.checks.map(({ essence, ...check }) => {
    if (!essence) return check;
    const { passing: _passing, not_run: _notRun, ...shown } = essence;
    return { ...check, essence: shown };
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

function decide(input: ResultInput): ResultVerdict {
  const { run, changes, planItems = [], proof } = input;
  // Appears only in the local history, since a cancelled task sends no result.
  if (run.termination === 'cancelled') return { status: 'failed', verification_status: 'unverified' };
  const checks = stateOfChecks(input);
  const changed = changes.files.length > 0;
  const open = planItems.some(({ done }) => !done);
  const isDoubted = changed && (proof?.doubts.length ?? 0) > 0;
  const finished = run.termination === 'final_answer' || run.termination === 'exit_code';
  switch (checks) {
    case 'all':
      if (proof && proof.doubts.length > 0) {
        if (changed) return verdict('partial', 'partial_pass');
        return verdict(finished && !open && !proof.isWorkLeft ? 'success' : 'partial', 'unverified');
      }
      return open ? verdict('partial', 'partial_pass') : verdict('success', 'verified');
    case 'some':
      return verdict('partial', 'partial_pass');
    case 'zero':
      return verdict(changed ? 'partial' : 'failed', 'failed');
    case 'broken':
      return verdict(changed ? 'partial' : 'failed', 'execution_failed');
    case 'unrun':
      return verdict(changed || run.output.trim() !== '' ? 'partial' : 'failed', 'unverified');
    case 'none':
      if (!changed && run.output.trim() === '') return verdict('failed', 'unverified');
      if (open) return verdict('partial', 'partial_pass');
      return verdict(finished && !isDoubted ? 'success' : 'partial', 'unverified');
    default:
      return checks satisfies never;
  }
}

const verdict = (status: TaskResult['status'], verification: VerificationStatus): ResultVerdict => ({
  status,
  verification_status: verification,
});

/** Sums up the last report. A check that was skipped, aborted or not started has not passed. */
function stateOfChecks({ task, reports }: Pick<ResultInput, 'task' | 'reports'>): CheckState {
  const checks = reports.at(-1)?.checks ?? [];
  if (checks.length === 0) return areChecksMissing(task, reports) ? 'unrun' : 'none';
  const count = (...wanted: CheckResult['status'][]): number =>
    checks.filter(({ status }) => wanted.includes(status)).length;
  if (count('pass') === checks.length) return 'all';
  if (count('pass') > 0) return 'some';
  if (count('skip') === checks.length) return 'unrun';
  return count('error', 'skip') === checks.length ? 'broken' : 'zero';
}

/** Returns whether the task has checks but no report. */
const areChecksMissing = (task: Task, reports: ResultInput['reports']): boolean =>
  reports.length === 0 && !task.skip_verification && task.verification_steps.length > 0;

const MAX_LINE_CHARS = 300;

/** Lists completed and remaining work, one line each. */
function progressOf({ task, reports, planItems = [] }: ResultInput): {
  completed: string[];
  remaining: string[];
} {
  const completed: string[] = [];
  const remaining: string[] = areChecksMissing(task, reports)
    ? task.verification_steps.map((step) =>
        shortenLine(`${checkName({ ...step, description: step.description ?? '' })}: it was not run`),
      )
    : [];
  for (const check of reports.at(-1)?.checks ?? []) {
    const name = checkName(check);
    if (check.status === 'pass') completed.push(shortenLine(name));
    else remaining.push(shortenLine(`${name}: ${failureOf(check)}`));
  }
  for (const { description, done } of planItems)
    (done ? completed : remaining).push(shortenLine(description));
  return { completed, remaining };
}

/** Returns the first error or the failing tests if the output names them, else how the check ended. */
function failureOf({ essence, output, status }: CheckResult): string {
  const { failed = [], errors = [] } = essence ?? {};
  const [error] = errors;
  if (essence && essence.runner !== 'other' && error !== undefined) return firstLine(error);
  if (failed.length > 0) return `${failed.length} failing: ${failed.join('; ')}`;
  return firstLine(output) || status;
}

/** Names the exhausted budget: its scope, its limit, and the used amount. */
function budgetToRaise({ status }: ResultVerdict, { termination, detail }: RunOutcome): string[] {
  const ended = status === 'partial' && termination === 'budget_exhausted' && detail !== undefined;
  return ended ? [shortenLine(`budget: ${detail}`)] : [];
}

const firstLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '') ?? '';
const shortenLine = (text: string): string => shorten(text, MAX_LINE_CHARS);

const MAX_ERROR_CHARS = 2000;

function errorText(
  run: RunOutcome,
  report: VerificationReport | undefined,
  remaining: readonly string[],
): string {
  const failing = report
    ? `no check passed (${remaining.join('; ')})`
    : 'there is neither an answer nor a change';
  const iterations = `${run.iterations} iteration${run.iterations === 1 ? '' : 's'}`;
  const code = run.code === undefined ? '' : `${run.code}: `;
  return shorten(`${run.termination} after ${iterations}: ${code}${run.detail ?? failing}`, MAX_ERROR_CHARS);
}
