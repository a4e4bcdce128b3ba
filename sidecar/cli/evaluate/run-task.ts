/**
 * Runs a task through the worker as in normal use: with a fresh repository, hub, worktree, sandbox and
 * ledger. The outcome is judged in a separate tree that the worker never had access to.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hasEnded, type HubClient, type TaskDetail } from '../../hub/client/hub-client.ts';
import { taskResultSchema, type TaskResult } from '../../base/protocol/result.ts';
import { readRequests } from '../../solving/session/request-log.ts';
import { REQUEST_LOG } from '../../solving/session/session.ts';
import { onAbort } from '../../base/system/on-abort.ts';
import { listSessions } from '../../solving/session/session-store.ts';
import { appendAnswers, isMalformed } from './answer-log.ts';
import type { CheckOptions } from './judge.ts';
import type { RunRecord } from './record.ts';
import type { EvaluationTask } from './suite.ts';
import { checkOut, createTaskRepository, runGitCommand, runInWorkFolder, toPathPart } from './trees.ts';
import { decideVerdict } from './verdict.ts';

/** One planned run of a task. */
export interface PlannedRun {
  task: EvaluationTask;
  run: number;
  model: string;
}

interface WorkerRunOptions {
  hub: HubClient;
  /** Folder of the evaluation. */
  output: string;
  sessionsDir: string;
  strategy?: string;
  /** Timeout of a task, in wall-clock time. */
  timeoutMs: number;
  checkOptions: CheckOptions;
  signal: AbortSignal;
}

const ANSWERS_FILE = 'answers.jsonl';
/** How long a cancelled task may take to end. */
const CANCEL_TIMEOUT_MS = 30_000;
/**
 * Grace added to the task's own timeout before a task without events is cancelled, because the worker does not count
 * the time in which the task waits for other tasks.
 */
const GRACE_MS = 120_000;

/** Makes one run. Returns undefined if the run was stopped. Rejects if the repository, git or the hub fails. */
export const runTask = (planned: PlannedRun, options: WorkerRunOptions): Promise<RunRecord | undefined> =>
  runInWorkFolder(planned, options.output, async (work) => {
    const { task, run, model } = planned;
    const source = join(work, 'source');
    await createTaskRepository(task, source);
    const startMs = Date.now();
    const { task_id: taskId } = await options.hub.submit(submissionOf(planned, source, options));
    if (!(await waitForEnd(taskId, options))) return undefined;
    const seconds = (Date.now() - startMs) / 1000;
    const endedTask = await options.hub.task(taskId);
    const result = taskResultSchema.safeParse(endedTask.result).data;
    const tree = (await runGitCommand(source, 'rev-parse', 'main^{tree}')).trim();
    const { session, ...callCounts } = await readSession(taskId, options, {
      model,
      task: task.id,
      run,
      tree,
    });
    const verdict = await evaluateWork(task, { source, work, result }, options);
    await writeResult(planned, endedTask, options.output);
    return {
      task: task.id,
      kind: task.kind,
      language: task.language,
      run,
      model,
      strategy: options.strategy ?? 'default',
      at: new Date(startMs).toISOString(),
      ...verdict,
      ...claimOf(endedTask, result),
      seconds: Math.round(seconds * 10) / 10,
      ...callCounts,
      ...(session !== undefined && { session }),
    };
  });

function submissionOf({ task, run, model }: PlannedRun, source: string, options: WorkerRunOptions): object {
  return {
    description: task.prompt,
    repo: source,
    model,
    max_attempts: 1,
    verification_steps: task.check.map((target) => ({ type: 'command_succeeds', target })),
    may_change_checks: task.mayChangeChecks,
    metadata: {
      timeout_ms: options.timeoutMs,
      seed: run,
      ...(task.readOnly && { read_only: true }),
      ...(options.strategy !== undefined && { strategy: options.strategy }),
    },
  };
}

/**
 * Waits until the task has ended. Returns false if the evaluation was stopped. Cancels a task that sends no
 * more events, and rejects if the task still does not end.
 */
async function waitForEnd(taskId: string, { hub, timeoutMs, signal }: WorkerRunOptions): Promise<boolean> {
  const abandonment = new AbortController();
  const silentMs = timeoutMs + GRACE_MS;
  let timer: NodeJS.Timeout | undefined;
  let isCancelled = false;
  const restartTimer = (): void => {
    if (isCancelled) return;
    clearTimeout(timer);
    timer = setTimeout(cancel, silentMs);
  };
  const cancel = (): void => {
    isCancelled = true;
    clearTimeout(timer);
    timer = setTimeout(() => abandonment.abort(), CANCEL_TIMEOUT_MS);
    hub.cancel(taskId).catch(() => abandonment.abort());
  };
  restartTimer();
  const unlisten = onAbort(signal, cancel);
  try {
    for await (const event of hub.events(taskId, { signal: abandonment.signal })) {
      restartTimer();
      if (event.kind === 'task' && hasEnded(event.body.status)) return !signal.aborted;
    }
  } finally {
    clearTimeout(timer);
    unlisten();
  }
  if (signal.aborted) return false;
  throw new Error(
    `the task ${taskId} sent no event for ${silentMs / 1000} s, and it did not end when it was cancelled`,
  );
}

async function readSession(
  taskId: string,
  { sessionsDir, output }: WorkerRunOptions,
  runInfo: Parameters<typeof appendAnswers>[2],
): Promise<{ calls: number; malformed: number; session?: string }> {
  const session = (await listSessions(sessionsDir)).find((candidate) => candidate.task_id === taskId);
  if (session === undefined) return { calls: 0, malformed: 0 };
  const folder = join(sessionsDir, session.id);
  const exchanges = await readRequests(join(folder, REQUEST_LOG));
  await appendAnswers(join(output, ANSWERS_FILE), exchanges, runInfo);
  return {
    calls: exchanges.length,
    malformed: exchanges.filter(isMalformed).length,
    session: relative(output, folder),
  };
}

interface WorkerOutcome {
  source: string;
  work: string;
  result?: TaskResult;
}

async function evaluateWork(
  task: EvaluationTask,
  { source, work, result }: WorkerOutcome,
  options: WorkerRunOptions,
) {
  const branch = result?.changes.branch;
  const hasBranch = branch !== undefined && branch !== null && (await hasRef(source, `refs/heads/${branch}`));
  const ref = hasBranch ? `refs/heads/${branch}` : 'refs/heads/main';
  const changed =
    hasBranch && (await runGitCommand(source, 'diff', '--name-only', 'main', ref)).trim() !== '';
  const dir = join(work, 'finished');
  await checkOut(source, ref, dir);
  const claimed = result?.status ?? 'failed';
  const verdict = await decideVerdict(
    task,
    { dir, changed, claimed, output: result?.output ?? '' },
    options.checkOptions,
  );
  return { ...verdict, changed };
}

const hasRef = (repository: string, ref: string): Promise<boolean> =>
  runGitCommand(repository, 'show-ref', '--verify', '--quiet', ref).then(
    () => true,
    () => false,
  );

function claimOf(endedTask: TaskDetail, result: TaskResult | undefined) {
  const { passed = 0, total = 0 } = result?.verification_report?.summary ?? {};
  return {
    claimed: result?.status ?? ('failed' as const),
    tokensIn: result?.tokens_in ?? endedTask.tokens_in ?? 0,
    tokensOut: result?.tokens_out ?? endedTask.tokens_out ?? 0,
    termination:
      result?.termination_reason ?? endedTask.termination_reason ?? (endedTask.error ?? '').slice(0, 200),
    verification: result?.verification_status ?? 'unverified',
    checks: { passed, total },
  };
}

/** Writes the whole result of a run, so that readers can inspect the changes. */
async function writeResult({ task, run, model }: PlannedRun, endedTask: TaskDetail, output: string) {
  const folder = join(output, 'results', toPathPart(model));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${task.id}-${run}.json`), `${JSON.stringify(endedTask, undefined, 2)}\n`);
}
