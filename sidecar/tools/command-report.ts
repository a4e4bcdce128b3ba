/** Formats the result of a command for the model: its output, exit status and duration. Pure. */
import type { ExecResult } from '../base/ports.ts';
import { toTerminalText } from '../base/values/printable.ts';
import type { ToolOutput } from './types.ts';
import { formatExitCode } from '../base/system/exit-code.ts';

/**
 * Returns the tool output for the result of a command. `notes` follow the exit status, one per line; `details` contain the status for
 * users.
 */
export const buildCommandOutput = (
  result: ExecResult,
  timeoutMs: number,
  notes: readonly string[] = [],
): Exclude<ToolOutput, string> => ({
  text: textOf(result, timeoutMs, notes),
  isError: result.exitCode !== 0 || result.timedOut || result.aborted,
  details: {
    summary: exitStatusOf(result, timeoutMs),
    exitCode: result.exitCode,
    signal: result.signal,
    timedOut: result.timedOut,
    durationMs: result.durationMs,
  },
});

function textOf(result: ExecResult, timeoutMs: number, notes: readonly string[]): string {
  const output = toTerminalText(result.output).replace(/\n$/, '');
  const parts = output === '' ? [] : [output];
  if (result.droppedBytes > 0)
    parts.push(`[${result.droppedBytes} bytes from the middle of the output were dropped]`);
  parts.push(`[${exitStatusOf(result, timeoutMs)}, ${formatDuration(result.durationMs)}]`, ...notes);
  return parts.join('\n');
}

/** Extracts the output from a text of `buildCommandOutput`, by the details of the same command. */
export function extractCommandOutput(report: string, details: Record<string, unknown> = {}): string {
  const ending = `[${String(details.summary)}, `;
  const index = report.startsWith(ending) ? 0 : report.lastIndexOf(`\n${ending}`);
  return index < 0 ? report : report.slice(0, index);
}

function exitStatusOf(result: ExecResult, timeoutMs: number): string {
  if (result.timedOut) return `timed out after ${timeoutMs} ms`;
  if (result.aborted) return 'aborted';
  if (result.stopped !== undefined) return `stopped: ${result.stopped}`;
  return result.exitCode === null
    ? `killed by ${result.signal ?? 'a signal'}`
    : `exit code ${formatExitCode(result.exitCode)}`;
}

const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
