/** A finished task as a person reads it: verdict, checks, changed files, diff, what remains and what to do next. */
import { taskResultSchema, type TaskResult } from '../protocol/result.ts';
import type { TaskDetail } from './hub-client.ts';
import { duration, printable, printableLine, type Terminal } from './terminal.ts';

const MAX_DIFF_LINES = 200;

/** Prints the end of a task. `repo` is a local repository that the branch was fetched into. */
export function showResult(
  terminal: Terminal,
  task: TaskDetail,
  options: { repo?: string; diff?: boolean } = {},
): void {
  if (terminal.json) {
    terminal.data(task);
    return;
  }
  const parsed = taskResultSchema.safeParse(task.result);
  terminal.line();
  if (!parsed.success) {
    showFailure(terminal, task);
    return;
  }
  const result = parsed.data;
  showVerdict(terminal, task, result);
  if (options.diff !== false) showDiff(terminal, result);
  showNextSteps(terminal, task, result, options.repo);
}

function showFailure({ line, color }: Terminal, task: TaskDetail): void {
  line(`${color.red(color.bold(task.status.replace('_', ' ').toUpperCase()))}  ${printable(task.title)}`);
  if (task.error) line(`  ${printable(task.error)}`);
}

function showVerdict(terminal: Terminal, task: TaskDetail, result: TaskResult): void {
  const { line, color } = terminal;
  const paint = { success: color.green, partial: color.yellow, failed: color.red }[result.status];
  line(
    `${paint(color.bold(result.status.toUpperCase()))} (${result.verification_status})  ${printable(task.title)}`,
  );
  if (result.output.trim() !== '') line(`\n${indent(printable(result.output.trim()))}\n`);
  if (result.error) line(`  ${color.red(printable(result.error))}`);
  for (const text of result.completed)
    line(`  ${color.green('✓')} ${printableLine(text, terminal.width - 6)}`);
  for (const text of result.remaining) line(`  ${color.red('✗')} ${printableLine(text, terminal.width - 6)}`);
  const cost = result.estimated_cost_usd > 0 ? `, $${result.estimated_cost_usd.toFixed(4)}` : '';
  line(
    color.dim(
      `  ${result.iterations_used} iterations, ${result.tokens_in} tokens in, ${result.tokens_out} out${cost}, ${duration(result.execution_ms)}, ${result.model_used || 'no model'}, ended by ${result.termination_reason}`,
    ),
  );
}

function showDiff({ line, color }: Terminal, { changes }: TaskResult): void {
  if (changes.files.length === 0) return;
  line();
  for (const file of changes.files) {
    line(
      `  ${file.status.padEnd(8)} ${printable(file.path)}  ${color.green(`+${file.additions}`)} ${color.red(`-${file.deletions}`)}`,
    );
  }
  if (changes.patch === '') return;
  line();
  const lines = printable(changes.patch).trimEnd().split('\n');
  for (const text of lines.slice(0, MAX_DIFF_LINES)) line(`  ${paintDiff(text, color)}`);
  if (lines.length > MAX_DIFF_LINES) line(color.dim(`  … ${lines.length - MAX_DIFF_LINES} more lines`));
}

function paintDiff(text: string, color: Terminal['color']): string {
  if (text.startsWith('+++') || text.startsWith('---') || text.startsWith('diff ')) return color.bold(text);
  if (text.startsWith('@@')) return color.cyan(text);
  if (text.startsWith('+')) return color.green(text);
  return text.startsWith('-') ? color.red(text) : text;
}

function showNextSteps(
  { line, color }: Terminal,
  task: TaskDetail,
  result: TaskResult,
  repo: string | undefined,
): void {
  const { branch, head_commit: head, files } = result.changes;
  if (repo && branch && head && files.length > 0) {
    line(`\n  The work is on branch ${color.bold(branch)}. To take it:  git -C ${repo} merge ${branch}`);
  }
  if (result.follow_up) {
    line(`\n  Something remains. To go on from here:  ollama-sidecar follow-up ${task.task_id}`);
  }
}

const indent = (text: string): string => text.replace(/^/gmu, '  ');
