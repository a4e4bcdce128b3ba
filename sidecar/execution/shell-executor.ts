/**
 * Runs a task that is a command: streamed, in the same sandbox as the tools, retried only where
 * the task says so. A command that fails is work that failed: its exit code is the answer.
 */
import type { ExecResult, OnProgress, RunObserver, TaskTrace } from '../ports.ts';
import type { VerificationReport } from '../protocol/result.ts';
import type { Task } from '../protocol/task.ts';
import type { Ending } from './ending.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { TaskControl } from './task-control.ts';
import type { ExecutionEnvironment } from '../ports.ts';
import { truncateToolOutput } from '../tools/truncation.ts';

export interface ShellRun {
  task: Task;
  command: string;
  retries: number;
  timeoutMs: number;
  env: ExecutionEnvironment;
  control: TaskControl;
  emit: OnProgress;
  observer?: RunObserver;
  trace?: Pick<TaskTrace, 'toolCall'>;
}

/**
 * Runs the command until it succeeds or its tries are used up. A try that an earlier life of the task began is not
 * begun again: nobody knows what it did.
 */
export async function runShellTask(run: ShellRun, checkpoint: Checkpoint): Promise<Ending> {
  for (let attempt = 0; ; attempt += 1) {
    const round = attempt + 1;
    if (checkpoint.pastCall(round, 0)) {
      if (attempt < run.retries) continue;
      return interrupted(run);
    }
    checkpoint.recordStep(round, [], { index: 0, name: 'shell', args: { command: run.command } });
    run.observer?.toolCall('shell', { command: run.command });
    const result = await run.env.execCommand(run.command, {
      timeoutMs: run.timeoutMs,
      signal: run.control.signal,
      onOutput: ({ stream, text }) => run.emit({ event_type: stream, text }),
    });
    run.observer?.toolResult('shell', result.output);
    tellTrace(run, `${round}.1`, result);
    const failed = result.exitCode !== 0 && !result.timedOut && run.control.stopReason === undefined;
    if (!failed || attempt >= run.retries) return endingOf(run, result);
    run.emit({ event_type: 'status', text: `Command failed, try ${attempt + 2} of ${run.retries + 1}` });
  }
}

function tellTrace({ trace, command }: ShellRun, toolCallId: string, result: ExecResult): void {
  const { output, exitCode, timedOut, durationMs } = result;
  const call = { toolCallId, toolName: 'shell', args: { command } };
  const isError = exitCode !== 0;
  const shown = truncateToolOutput(output, 'shell');
  const details = { exitCode, timedOut };
  trace?.toolCall(call, { ...call, output: shown, fullOutput: output, isError, durationMs, details }, true);
}

function interrupted(run: ShellRun): Ending {
  const detail = 'the worker was stopped while the command ran; its outcome is unknown';
  if (run.task.verification_steps.length > 0) return { reason: 'final_answer', detail };
  return { reason: 'final_answer', detail, report: failedReport(run, { durationMs: 0 }, detail) };
}

function endingOf(run: ShellRun, result: ExecResult): Ending {
  const output = truncateToolOutput(result.output, 'shell');
  const stop = run.control.stopReason;
  if (stop) return { reason: stop, output, detail: `the command was stopped (${stop})` };
  if (result.timedOut) {
    return { reason: 'timeout', output, detail: `the command ran longer than ${run.timeoutMs} ms` };
  }
  if (result.exitCode === 0) return { reason: 'final_answer', output: output || '(no output)' };
  const how = result.signal ? `signal ${result.signal}` : `exit code ${result.exitCode}`;
  const detail = `the command ended with ${how}: ${lastLine(result.output)}`;
  return { reason: 'final_answer', output, detail, report: failedReport(run, result, detail) };
}

/** The command is its own check: it ran, and it failed. */
function failedReport(
  { task, command, timeoutMs }: ShellRun,
  result: Pick<ExecResult, 'durationMs'>,
  detail: string,
): VerificationReport {
  const durationMs = Math.round(result.durationMs);
  return {
    task_id: task.task_id,
    run_number: 1,
    status: 'fail',
    started_at: new Date(Date.now() - durationMs).toISOString(),
    duration_ms: durationMs,
    timeout_ms: timeoutMs,
    checks: [
      {
        type: 'command_succeeds',
        target: command,
        description: '',
        status: 'fail',
        output: detail,
        duration_ms: durationMs,
      },
    ],
    summary: { total: 1, passed: 0, failed: 1, errors: 0, timed_out: 0 },
  };
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
}
