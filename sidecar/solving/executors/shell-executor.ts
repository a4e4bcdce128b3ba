/**
 * Runs tasks that consist of a shell command, without a model. The output is streamed. The command runs in the same sandbox as tools, and
 * is repeated only if the task asks for it. The result of a failed command has its exit code.
 */
import type { ExecResult, OnProgress } from '../../base/ports.ts';
import { headOf } from '../../base/values/shortening.ts';
import type { CheckResult, TaskResult, VerificationReport } from '../../base/protocol/result.ts';
import { truncateToolOutput } from '../../tools/truncation.ts';
import { shellTool } from '../../tools/shell.ts';
import { reportOf } from '../verification/run-checks.ts';
import { runCall } from '../task/outside-call.ts';
import type { Ending } from '../task/ending.ts';
import type { TaskRun } from '../task/task-run.ts';
import { taskSchema, type TaskInput } from '../../base/protocol/task.ts';
import { workAndVerify } from '../solve/verify.ts';
import { executeTask, buildRefusedResult } from './execute-task.ts';
import {
  completeSettings,
  type ExecuteConfig,
  type ExecutorDeps,
  type ExecutorSettings,
} from './executor-settings.ts';
import { chooseRoute } from '../ways/routing.ts';
import { formatExitCode } from '../../base/system/exit-code.ts';
import type { TaskExecutor } from '../run-ports.ts';

export class ShellExecutor implements TaskExecutor<ExecuteConfig> {
  readonly #settings: ExecutorSettings;

  constructor(deps: ExecutorDeps = {}) {
    this.#settings = completeSettings(deps);
  }

  /** Runs and verifies a task. Expected failures do not reject; they are results with `status: failed`. */
  execute(
    input: TaskInput,
    options: ExecuteConfig = {},
    onProgress: OnProgress = () => undefined,
  ): Promise<TaskResult> {
    const task = taskSchema.parse(input);
    const route = chooseRoute(task, this.#settings.config);
    if (route.kind !== 'shell') return Promise.resolve(buildRefusedResult(task, route));
    const execution = { task, options, onProgress, agentic: false };
    return executeTask(this.#settings, execution, (run) => runAndVerify(run, route));
  }
}

async function runAndVerify(run: TaskRun, command: CommandWithRetries) {
  const way = { run: () => runCommand(run, command) };
  const readBaseReport = () => Promise.resolve(undefined);
  return { ...(await workAndVerify(run, way, readBaseReport)), model: '' };
}

interface CommandWithRetries {
  command: string;
  /** Number of additional tries after a failure. */
  retries: number;
}

/**
 * Runs the command until it succeeds or all tries are used. If an earlier run of the task started a try whose effects may have left the
 * tree, this try is not repeated, since its outcome is unknown.
 */
async function runCommand(run: TaskRun, { command, retries }: CommandWithRetries): Promise<Ending> {
  run.totals.iterations = 1;
  for (let number = 1; ; number += 1) {
    const isLast = number > retries;
    const runOnce = () => execute(run, command, number);
    const call = { name: shellTool.name, args: { command } };
    const result = await runCall(run, call, run.commandsAffectOutside, runOnce);
    if (!result) {
      if (isLast) return buildInterruptedEnding(run, command);
      continue;
    }
    const hasFailed = result.exitCode !== 0 && !result.timedOut && run.control.stopReason === undefined;
    if (!hasFailed || isLast) return toEnding(run, command, result);
    run.emit({ event_type: 'status', text: `Command failed; retry ${number} of ${retries}` });
  }
}

async function execute(run: TaskRun, command: string, number: number): Promise<ExecResult> {
  const { env, observer, emit, trace } = run;
  observer?.recordToolCall(shellTool.name, { command });
  const result = await env.execCommand(command, {
    timeoutMs: run.limits.timeoutMs,
    signal: run.control.signal,
    onOutput: ({ stream, text }) => emit({ event_type: stream, text }),
  });
  observer?.recordToolResult(shellTool.name, result.output);
  const { exitCode, timedOut, durationMs } = result;
  const call = { toolCallId: `${number}.1`, toolName: shellTool.name, isError: exitCode !== 0, durationMs };
  trace?.recordToolCall({ ...call, details: { exitCode, timedOut } }, true);
  return result;
}

function buildInterruptedEnding(run: TaskRun, command: string): Ending {
  const detail = 'the worker was stopped while the command ran; its outcome is unknown';
  if (run.task.verification_steps.length > 0) return { reason: 'exit_code', detail };
  return { reason: 'exit_code', detail, report: buildFailedReport(run, command, detail) };
}

function toEnding(run: TaskRun, command: string, result: ExecResult): Ending {
  const output = truncateToolOutput(result.output, shellTool.name);
  const stop = run.control.stopReason;
  if (stop && result.aborted) return { reason: stop, output, detail: `the command was stopped (${stop})` };
  if (result.timedOut) {
    return { reason: 'timeout', output, detail: `the command ran longer than ${run.limits.timeoutMs} ms` };
  }
  if (result.exitCode === 0) return { reason: 'exit_code', output: output || '(no output)' };
  const exitText = result.signal ? `signal ${result.signal}` : `exit code ${formatExitCode(result.exitCode)}`;
  const detail = `the command ended with ${exitText}: ${readLastLine(result.output)}`;
  return {
    reason: 'exit_code',
    output,
    detail,
    report: buildFailedReport(run, command, detail, result.durationMs),
  };
}

/** Returns the report of a failed command. The command counts as its own check. */
function buildFailedReport(
  { task, limits, clock }: TaskRun,
  command: string,
  detail: string,
  exactMs = 0,
): VerificationReport {
  const durationMs = Math.round(exactMs);
  const check: CheckResult = {
    type: 'command_succeeds',
    target: command,
    description: '',
    status: 'fail',
    output: detail,
    duration_ms: durationMs,
  };
  return reportOf([check], {
    task_id: task.task_id,
    run_number: 1,
    started_at: new Date(clock.now() - durationMs).toISOString(),
    duration_ms: durationMs,
    timeout_ms: limits.timeoutMs,
  });
}

const readLastLine = (output: string): string => headOf(output.trimEnd().split('\n').at(-1) ?? '', 500);
