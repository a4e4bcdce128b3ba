/** The tool that returns the outcome of a task: verdict, checks, what remains, changed files, diff. */
import * as z from 'zod';
import { hasEnded, type TaskDetail } from '../client/hub-client.ts';
import {
  describeEvidence,
  taskResultSchema,
  describeTermination,
  type TaskResult,
} from '../../base/protocol/result.ts';
import { factsOf, formatStatus, taskIdSchema } from './task-tools.ts';
import {
  createFailedAnswer,
  createDataAnswer,
  shortenTaskText,
  shortenTaskLine,
  declareTool,
} from './tool.ts';
import { type Outcome, success } from '../../base/values/outcome.ts';

const DEFAULT_DIFF_CHARS = 20_000;
const MAX_DIFF_CHARS = 400_000;
const MAX_OUTPUT_CHARS = 6_000;
const MAX_ITEMS = 40;

export const getResultTool = declareTool({
  name: 'get_result',
  description: 'The result of an ended task: summary, checks, what remains, changed files, diff.',
  input: z.strictObject({
    task_id: taskIdSchema,
    diff_chars: z
      .int()
      .min(0)
      .max(MAX_DIFF_CHARS)
      .default(DEFAULT_DIFF_CHARS)
      .describe('Maximum number of characters of the diff; 0: no diff'),
  }),
  hints: { readOnlyHint: true },
  async run({ task_id: id, diff_chars: maxChars }, { hub }) {
    const task = await hub.task(id);
    const result = readResult(task);
    if (!result.ok) return createFailedAnswer(result.failure);
    const { patch, patch_omitted: omitted } = result.value.changes;
    const text = formatResult(task, result.value);
    const summary = omitted
      ? `${text}
the diff is incomplete: ${shortenTaskLine(omitted)}`
      : text;
    const data = resultDataOf(task, result.value);
    return patch === '' || maxChars === 0
      ? createDataAnswer(data, summary)
      : createDataAnswer(data, summary, shortenTaskText(patch, maxChars));
  },
});

/** Returns the facts that programs need: verdict, checks, what remains, and the location of the work. */
const resultDataOf = (task: TaskDetail, { changes, verification_report: report, ...result }: TaskResult) => ({
  ...factsOf(task),
  status: result.status,
  verification: result.verification_status,
  error: result.error ? shortenTaskLine(result.error, 2000) : null,
  remaining: result.remaining.slice(0, MAX_ITEMS).map((text) => shortenTaskLine(text)),
  checks: (report?.checks ?? []).slice(0, MAX_ITEMS).map(({ target, status }) => ({
    check: shortenTaskLine(target),
    status,
  })),
  branch: changes.branch ? shortenTaskLine(changes.branch) : null,
  files: changes.files.slice(0, MAX_ITEMS).map((file) => ({ ...file, path: shortenTaskLine(file.path) })),
  has_follow_up: result.follow_up !== undefined,
});

/** Returns the result of a task, or why there is none. */
export function readResult(task: TaskDetail): Outcome<TaskResult, string> {
  const parsed = taskResultSchema.safeParse(task.result);
  if (parsed.success) return success(parsed.data);
  const reason = hasEnded(task.status) ? 'The task has ended without a result' : 'The task has not ended yet';
  return { ok: false, failure: `${reason}.\n${formatStatus(task)}` };
}

function formatResult(task: TaskDetail, result: TaskResult): string {
  const { changes, check_changes: checks } = result;
  const iterations = task.iterations_used ?? result.iterations_used;
  const tokensIn = task.tokens_in ?? result.tokens_in;
  const tokensOut = task.tokens_out ?? result.tokens_out;
  const seconds = Math.round((task.worked_ms ?? result.execution_ms) / 1000);
  const lines = [
    `task_id: ${task.task_id}`,
    `status: ${result.status} (${result.verification_status})`,
    ...formatField('evidence', describeEvidence(result)),
    ...formatField('error', result.error),
    `ended: ${describeTermination(result.termination_reason)}`,
    ...formatField('detail', result.termination_detail),
    `model: ${shortenTaskLine(result.model_used)}, ${iterations} iterations, ${tokensIn} tokens in, ${tokensOut} out, ${seconds} s`,
    ...formatList('done', result.completed),
    ...formatList('remains', result.remaining),
    ...formatList('notes on the checks', result.verification_notes),
    ...formatList('failed before and pass now', checks?.fixed),
    ...formatList('passed before and fail now', checks?.broken),
    ...formatField('commands were not confined', result.unconfined),
    ...formatField('branch', changes.branch),
    ...formatField('not on a branch', changes.branch_omitted),
    ...formatList(
      'files',
      changes.files.map(
        ({ path, status, additions, deletions }) => `${status} ${path} +${additions} -${deletions}`,
      ),
    ),
    ...(result.follow_up ? ['to continue from here: follow_up_task'] : []),
    ...(result.output.trim() === ''
      ? []
      : [`summary:\n${shortenTaskText(result.output.trim(), MAX_OUTPUT_CHARS)}`]),
  ];
  return lines.join('\n');
}

const formatField = (name: string, value: string | null | undefined): string[] =>
  value ? [`${name}: ${shortenTaskLine(value, 2000)}`] : [];

function formatList(name: string, items: readonly string[] = []): string[] {
  if (items.length === 0) return [];
  const omittedCount = items.length - MAX_ITEMS;
  return [
    `${name}:`,
    ...items.slice(0, MAX_ITEMS).map((item) => `- ${shortenTaskLine(item)}`),
    ...(omittedCount > 0 ? [`- … ${omittedCount} more`] : []),
  ];
}
