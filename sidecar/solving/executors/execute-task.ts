/** Runs the work of any executor: opens the run, does the work, builds the result, and closes everything, also after an error. */
import type { OnProgress } from '../../base/ports.ts';
import type { Changes, ModelUseReport, TaskResult } from '../../base/protocol/result.ts';
import type { Task } from '../../base/protocol/task.ts';
import type { SolvedTask } from '../solve/solve.ts';
import { NO_CHANGES } from '../solve/verify.ts';
import { CleanupStack } from '../../base/system/cleanup-stack.ts';
import type { Ending } from '../task/ending.ts';
import { RunTotals } from '../task/run-totals.ts';
import { TaskControl } from '../task/task-control.ts';
import type { TaskRun } from '../task/task-run.ts';
import { failureOf } from '../../base/values/outcome.ts';
import { buildResult, type RunOutcome } from '../result/build-result.ts';
import type { ExecuteConfig, ExecutorSettings } from './executor-settings.ts';
import { openRun } from './open-run.ts';
import { ProgressEmitter } from './progress-emitter.ts';
import type { Route } from '../ways/routing.ts';

export interface Execution {
  task: Task;
  options: ExecuteConfig;
  onProgress: OnProgress;
  /** Whether the task is agentic. Agentic tasks have other limits. */
  agentic: boolean;
}

/** Runs and verifies a task. Expected failures do not reject; they are results with `status: failed`. */
export async function executeTask(
  settings: ExecutorSettings,
  { task, options, onProgress, agentic }: Execution,
  doWork: (run: TaskRun) => Promise<SolvedTask>,
): Promise<TaskResult> {
  const { clock, logger, openSession } = settings;
  const progress = new ProgressEmitter({ onProgress, clock, logger, lastSeq: options.last_seq });
  const control = options.control ?? new TaskControl();
  const session = options.session ?? (await openSession?.(task, control));
  const cleanup = new CleanupStack();
  let result: TaskResult | undefined;
  try {
    const request = { task, options: { ...options, session }, control, emit: progress.emit, agentic };
    const run = await openRun(settings, request, cleanup).catch(toFailureText);
    if ('failure' in run) return (result = buildFailedResult(task, run.failure));
    return (result = await buildTaskResult(run, await doWork(run)));
  } finally {
    // The result is valid even if its folders could not be removed.
    await cleanup.close().catch((error: unknown) => {
      logger.warn({ taskId: task.task_id, reason: String(error) }, 'Cleanup after a task failed');
    });
    progress.flush();
    await session?.end(result);
  }
}

/**
 * Converts an error with a code, such as a missing folder or sandbox, to a failure of the task. Rethrows storage errors and unknown errors.
 */
function toFailureText(error: unknown): { failure: string } {
  const failure = failureOf(error);
  if (!failure || failure.code.startsWith('storage_')) throw error;
  return { failure: `${failure.code}: ${failure.message}` };
}

/** Returns the result of a task that this executor does not handle. The hub may route the task elsewhere. */
export function buildRefusedResult(task: Task, route: Route): TaskResult {
  const ownType = route.kind === 'shell' ? 'sidecar' : 'ollama';
  const type = route.kind === 'unsupported' ? route.targetType : ownType;
  return buildFailedResult(task, `unsupported_target_type:${type}`);
}

/** Returns the result of a task that ended before any work. */
const buildFailedResult = (task: Task, detail: string): TaskResult =>
  buildResult({
    task,
    run: toRunOutcome({ reason: 'model_error', detail }, new RunTotals(), '', 0),
    reports: [],
    changes: NO_CHANGES,
  });

async function buildTaskResult(
  run: TaskRun,
  { ending, changes, reports, proof, model, plan }: SolvedTask,
): Promise<TaskResult> {
  const published = ending.reason === 'cancelled' ? { changes } : await publish(run, changes);
  const { subfolder } = run.workspace;
  const result = buildResult({
    task: run.task,
    run: toRunOutcome(ending, run.totals, model, run.control.usedMs),
    reports,
    ...published,
    proof,
    unconfinedReason: await findUnconfinedReason(run),
    ...plan,
  });
  return { ...result, ...(subfolder !== undefined && { subfolder }) };
}

async function findUnconfinedReason({ env }: TaskRun): Promise<string | undefined> {
  // If the folder is removed already, no reason is reported.
  const status = await env.readSandboxStatus?.().catch(() => undefined);
  return status?.sandboxed === false ? status.reason : undefined;
}

/**
 * Publishes the branch, and returns the changes with the commit that other clones can fetch. If there is no commit besides the base, there
 * is no branch.
 */
async function publish(
  { workspace, emit }: TaskRun,
  changes: Changes,
): Promise<{ changes: Changes; fetchableCommit?: string }> {
  const published = await workspace.publish();
  if (!published.ok) {
    const { message } = published.failure;
    emit({ event_type: 'status', text: `The branch was not published: ${message}` });
    // The name of a branch that does not exist would mislead the user.
    return { changes: { ...changes, branch: undefined, branch_omitted: message } };
  }
  const publication = published.value;
  if (!publication) return { changes: removeBranch(changes) };
  return { changes, fetchableCommit: publication.where === 'cache' ? undefined : publication.commit };
}

const removeBranch = ({ branch: _branch, head_commit: _head, ...changes }: Changes): Changes => changes;

const toRunOutcome = (
  ending: Ending,
  totals: RunTotals,
  modelUsed: string,
  executionMs: number,
): RunOutcome => ({
  ...totals.used,
  termination: ending.reason,
  detail: ending.detail,
  code: ending.code,
  output: ending.output ?? totals.lastText,
  modelUsed,
  executionMs,
  modelUse: totals.iterations > 0 ? toModelUseReport(totals) : undefined,
});

const toModelUseReport = ({ use }: RunTotals): ModelUseReport => ({
  tokens_read: Math.round(use.readTokens),
  waiting_ms: Math.round(use.waitedMs),
  loading_ms: Math.round(use.loadMs),
  reading_ms: Math.round(use.readMs),
  writing_ms: Math.round(use.writeMs),
});
