/**
 * Builds the events of a tool call for the timeline. Their `text` can be read alone, for example `read_file src/main.ts → OK: 120 lines (12
 * ms)`. Pure.
 */
import { clip } from '../../base/values/shortening.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import { MAX_ARGS_SUMMARY_CHARS, MAX_RESULT_SUMMARY_CHARS } from '../../base/protocol/limits.ts';
import type { ToolCallRequest, ToolCallResult } from '../../tools/types.ts';

const MAX_TARGET_CHARS = 80;
const MAX_DIFF_CHARS = 4_000;
/** Arguments that identify the target of a call, most important first. */
const TARGET_ARGUMENTS = ['file_path', 'command', 'pattern', 'path', 'goal'];

export const createStartedEvent = (call: ToolCallRequest, iteration: number): ExecutionEvent => ({
  ...buildCallFields(call, iteration),
  phase: 'started',
  text: formatCallLabel(call.toolName, call.args),
});

export function createFinishedEvent(
  call: ToolCallRequest,
  result: ToolCallResult,
  iteration: number,
): ExecutionEvent {
  const summary = summarizeResult(result);
  const durationMs = Math.round(result.durationMs);
  return {
    ...buildCallFields(call, iteration),
    phase: 'finished',
    text: `${formatCallLabel(call.toolName, call.args)} → ${summary} (${durationMs} ms)`,
    result_summary: summary,
    success: !result.isError,
    duration_ms: durationMs,
    ...diffOf(result.output),
  };
}

const buildCallFields = ({ toolCallId, toolName, args, repaired }: ToolCallRequest, iteration: number) => ({
  event_type: 'tool_call' as const,
  call_id: toolCallId,
  tool_name: toolName,
  args_summary: summarizeArguments(args),
  ...(repaired && { repaired }),
  iteration,
});

/** Returns the diff in the output of an edit. Other output is left out, since the timeline shows it already. */
function diffOf(output: string): { output?: string } {
  if (!/^@@ -\d/mu.test(output.slice(0, MAX_DIFF_CHARS))) return {};
  return { output: output.length > MAX_DIFF_CHARS ? `${output.slice(0, MAX_DIFF_CHARS)}\n…` : output };
}

/** Returns the name and the target of a call on one line. */
function formatCallLabel(name: string, args: unknown): string {
  const target = findTarget(args);
  return target ? `${name} ${target}` : name;
}

function findTarget(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const values = args as Record<string, unknown>;
  const key = TARGET_ARGUMENTS.find((candidate) => typeof values[candidate] === 'string');
  return key ? toSingleLine(String(values[key]), MAX_TARGET_CHARS) : '';
}

function summarizeArguments(args: unknown): string {
  const text = typeof args === 'string' ? args : JSON.stringify(moveTargetFirst(args ?? {}));
  return toSingleLine(text, MAX_ARGS_SUMMARY_CHARS);
}

/** Moves the target to the front, so that a truncated summary still shows the file or the command. */
function moveTargetFirst(args: object): object {
  const key = TARGET_ARGUMENTS.find((candidate) => Object.hasOwn(args, candidate));
  return key === undefined ? args : { [key]: (args as Record<string, unknown>)[key], ...args };
}

/** Returns `OK: …` or `ERR: …` with the tool's own summary, or with the first line of the output that is not blank. */
function summarizeResult(result: ToolCallResult): string {
  const ownSummary = result.details?.summary;
  const text = typeof ownSummary === 'string' ? ownSummary : readFirstLine(result.output);
  const prefix = result.isError ? 'ERR: ' : 'OK: ';
  return prefix + toSingleLine(text, MAX_RESULT_SUMMARY_CHARS - prefix.length);
}

function readFirstLine(text: string): string {
  const start = text.search(/\S/u);
  if (start < 0) return '(no output)';
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? start + MAX_RESULT_SUMMARY_CHARS : end);
}

/** Folds a text to one line. Cuts the text first, since arguments may contain a whole file. */
const toSingleLine = (text: string, maxChars: number): string => clip(text.slice(0, maxChars * 4), maxChars);
