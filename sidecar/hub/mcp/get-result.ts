/** The tool that returns the outcome of a task: verdict, checks, what remains, changed files, diff. */
import * as z from 'zod';
import { hasEnded, type TaskDetail } from '../client/hub-client.ts';
import {
  describeEvidence,
  taskResultSchema,
  describeTermination,
  type TaskResult,
} from '../../base/protocol/result.ts';
import { factsOf, statusText, taskId } from './task-tools.ts';
import { failed, answerWith, shown, shownLine, tool } from './tool.ts';
import { type Outcome, success } from '../../base/values/outcome.ts';

const DEFAULT_DIFF_CHARS = 20_000;
const MAX_DIFF_CHARS = 400_000;
const MAX_OUTPUT_CHARS = 6_000;
const MAX_ITEMS = 40;

export const getResult = tool({
  name: 'get_result',
  description: 'The result of an ended task: summary, checks, what remains, changed files, diff.',
  input: z.strictObject({
    task_id: taskId,
    diff_chars: z
      .int()
      .min(0)
      .max(MAX_DIFF_CHARS)
      .default(DEFAULT_DIFF_CHARS)
      .describe('Characters of the diff to show; 0: none'),
  }),
  hints: { readOnlyHint: true },
  async run({ task_id: id, diff_chars: maxChars }, { hub }) {
    const task = await hub.task(id);
    const result = endedResult(task);
    if (!result.ok) return failed(result.failure);
    const { patch, patch_omitted: omitted } = result.value.changes;
    const text = resultText(task, result.value);
    const summary = omitted
      ? `${text}
the diff is incomplete: ${shownLine(omitted)}`
      : text;
    const data = dataOf(task, result.value);
    return patch === '' || maxChars === 0
      ? answerWith(data, summary)
      : answerWith(data, summary, shown(patch, maxChars));
  },
});

/** Returns the facts by which programs decide: verdict, checks, what remains, and where the work is. */
const dataOf = (task: TaskDetail, { changes, verification_report: report, ...result }: TaskResult) => ({
  ...factsOf(task),
  status: result.status,
  verification: result.verification_status,
  error: result.error ? shownLine(result.error, 2000) : null,
  remaining: result.remaining.slice(0, MAX_ITEMS).map((text) => shownLine(text)),
  checks: (report?.checks ?? []).slice(0, MAX_ITEMS).map(({ target, status }) => ({
    check: shownLine(target),
    status,
  })),
  branch: changes.branch ? shownLine(changes.branch) : null,
  files: changes.files.slice(0, MAX_ITEMS).map((file) => ({ ...file, path: shownLine(file.path) })),
  has_follow_up: result.follow_up !== undefined,
});

/** Returns the result of a task, or why there is none. */
export function endedResult(task: TaskDetail): Outcome<TaskResult, string> {
  const parsed = taskResultSchema.safeParse(task.result);
  if (parsed.success) return success(parsed.data);
  const why = hasEnded(task.status) ? 'The task has ended without a result' : 'The task has not ended yet';
  return { ok: false, failure: `${why}.\n${statusText(task)}` };
}

function resultText(task: TaskDetail, result: TaskResult): string {
  const { changes, check_changes: checks } = result;
  const iterations = task.iterations_used ?? result.iterations_used;
  const tokensIn = task.tokens_in ?? result.tokens_in;
  const tokensOut = task.tokens_out ?? result.tokens_out;
  const seconds = Math.round((task.worked_ms ?? result.execution_ms) / 1000);
  const lines = [
    `task_id: ${task.task_id}`,
    `status: ${result.status} (${result.verification_status})`,
    ...named('evidence', describeEvidence(result)),
    ...named('error', result.error),
    `ended: ${describeTermination(result.termination_reason)}`,
    ...named('detail', result.termination_detail),
    `model: ${shownLine(result.model_used)}, ${iterations} iterations, ${tokensIn} tokens in, ${tokensOut} out, ${seconds} s`,
    ...list('done', result.completed),
    ...list('remains', result.remaining),
    ...list('notes on the checks', result.verification_notes),
    ...list('failed before and pass now', checks?.fixed),
    ...list('passed before and fail now', checks?.broken),
    ...named('commands were not confined', result.unconfined),
    ...named('branch', changes.branch),
    ...named('on no branch', changes.branch_omitted),
    ...list(
      'files',
      changes.files.map(
        ({ path, status, additions, deletions }) => `${status} ${path} +${additions} -${deletions}`,
      ),
    ),
    ...(result.follow_up ? ['to continue from here: follow_up_task'] : []),
    ...(result.output.trim() === '' ? [] : [`summary:\n${shown(result.output.trim(), MAX_OUTPUT_CHARS)}`]),
  ];
  return lines.join('\n');
}

const named = (name: string, value: string | null | undefined): string[] =>
  value ? [`${name}: ${shownLine(value, 2000)}`] : [];

function list(name: string, items: readonly string[] = []): string[] {
  if (items.length === 0) return [];
  const left = items.length - MAX_ITEMS;
  return [
    `${name}:`,
    ...items.slice(0, MAX_ITEMS).map((item) => `- ${shownLine(item)}`),
    ...(left > 0 ? [`- … ${left} more`] : []),
  ];
}
