/**
 * Runs a task to its result: work, commit, check, and while checks fail
 * let the model correct itself within the same limits. However the work ended, except cancelled, it is checked as it is.
 */
import type { OnProgress, TaskExecutor } from '../ports.ts';
import type { Changes, TaskResult, VerificationReport } from '../protocol/result.ts';
import { taskSchema, type Task, type TaskInput } from '../protocol/task.ts';
import { buildResult, type RunOutcome } from '../verification/build-result.ts';
import { correctionMessage, passingChecks } from '../verification/correction.ts';
import { runChecks } from '../verification/run-checks.ts';
import type { Attempt, AttemptOpener } from './attempt.ts';
import type { Ending } from './ending.ts';
import { recordedReport } from './recorded-report.ts';
import { RunTotals } from './run-totals.ts';

export type Verifiable<C> = AttemptOpener<C> | TaskExecutor<C>;

const NO_CHANGES: Changes = { files: [], patch: '' };

/**
 * Executes and verifies. `executor` is one of this library's (it opens attempts that can be corrected) or any object
 * with `execute`, whose result is returned as it is. Never rejects for an expected failure.
 */
export async function executeWithVerification<C>(
  executor: Verifiable<C>,
  input: TaskInput,
  config: C,
  onProgress: OnProgress,
): Promise<TaskResult> {
  const task = taskSchema.parse(input);
  if (!('open' in executor)) return executor.execute(task, config, onProgress);
  const startedMs = performance.now();
  const opened = await executor.open(task, config, onProgress);
  if (!opened.ok) {
    const run = runOutcome(opened.ending, new RunTotals(), opened.model, performance.now() - startedMs);
    return buildResult({ task, run, reports: [], changes: NO_CHANGES });
  }
  const { attempt } = opened;
  try {
    const verified = await workAndVerify(task, attempt, onProgress);
    const { ending, changes, reports } = verified;
    const fetchableCommit = ending.reason === 'cancelled' ? undefined : await publish(attempt, onProgress);
    return buildResult({
      task,
      run: runOutcome(ending, attempt.totals, attempt.model, attempt.control.usedMs),
      reports,
      changes,
      fetchableCommit,
      ...attempt.plan?.(),
    });
  } finally {
    await attempt.close();
  }
}

interface Verified {
  ending: Ending;
  changes: Changes;
  reports: VerificationReport[];
}

async function workAndVerify(task: Task, attempt: Attempt, emit: OnProgress): Promise<Verified> {
  const reports: VerificationReport[] = [];
  let lastState = stateOf(NO_CHANGES);
  let ending = await attempt.run();
  for (;;) {
    if (ending.reason === 'cancelled') return { ending, changes: NO_CHANGES, reports };
    const changes = await attempt.workspace.commit(commitMessage(task));
    const previous = reports.at(-1);
    const runNumber = reports.length + 1;
    const report = await recordedReport(attempt.journal, runNumber, () =>
      check(task, attempt, { ending, runNumber, emit }),
    );
    if (report) reports.push(report);
    if (!report || !attempt.correct || !mayCorrect(attempt, ending, report, reports.length)) {
      return { ending, changes, reports };
    }
    emit({
      event_type: 'status',
      text: `Checks failed, corrective round ${reports.length} of ${attempt.limits.maxVerificationRetries}`,
    });
    const unchanged = !attempt.limits.readOnly && stateOf(changes) === lastState;
    lastState = stateOf(changes);
    const message = correctionMessage(report, passingChecks(previous), { unchanged });
    ending = await attempt.correct(message, reports.length);
  }
}

/** Differs where the changes do; a patch that is too large to be carried has its commit. */
const stateOf = ({ files, patch, head_commit: head }: Changes): string =>
  files.length === 0 ? '' : JSON.stringify([files, patch, head]);

/** A command that failed is a check that failed; other tasks have the checks that they came with. */
async function check(
  task: Task,
  attempt: Attempt,
  { ending, runNumber, emit }: { ending: Ending; runNumber: number; emit: OnProgress },
): Promise<VerificationReport | undefined> {
  if (ending.report) return ending.report;
  if (task.skip_verification || task.verification_steps.length === 0) return undefined;
  return runChecks(task.verification_steps, {
    env: attempt.env,
    workspace: attempt.workspace,
    taskId: task.task_id,
    runNumber,
    timeoutMs: attempt.limits.verificationTimeoutMs,
    clock: attempt.clock,
    // Work that ran out of time is still checked: the stop that ended it must not end its proof too.
    signal: attempt.control.stopReason ? undefined : attempt.control.signal,
    onEvent: emit,
  });
}

/** Only a model that thinks it is done can correct itself; a forced stop has used up what it was given. */
function mayCorrect(attempt: Attempt, ending: Ending, report: VerificationReport, runs: number): boolean {
  if (ending.reason !== 'final_answer' || report.status === 'pass') return false;
  return runs <= attempt.limits.maxVerificationRetries && attempt.control.stopReason === undefined;
}

/** Puts the branch where others can fetch it; the commit's id when that worked. */
async function publish(attempt: Attempt, emit: OnProgress): Promise<string | undefined> {
  const published = await attempt.workspace.publish();
  if (!published.ok) {
    emit({ event_type: 'status', text: `The branch was not published: ${published.failure.message}` });
    return undefined;
  }
  const publication = published.value;
  return publication && publication.where !== 'cache' ? publication.commit : undefined;
}

function commitMessage(task: Task): string {
  const subject = task.description.split('\n', 1)[0]?.trim().slice(0, 72) ?? '';
  return `${subject || 'Work on a task'}\n\nTask: ${task.task_id}`;
}

function runOutcome(ending: Ending, totals: RunTotals, modelUsed: string, executionMs: number): RunOutcome {
  return {
    termination: ending.reason,
    detail: ending.detail,
    output: ending.output ?? totals.lastText,
    iterations: totals.iterations,
    tokensIn: totals.tokensIn,
    tokensOut: totals.tokensOut,
    costUsd: totals.costUsd,
    modelUsed,
    executionMs,
  };
}
