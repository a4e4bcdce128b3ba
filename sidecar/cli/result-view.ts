/** Shows a finished task: verdict, checks, changed files, diff, what remains and the next steps. */
import {
  describeEvidence,
  isNotDone,
  formatTaskError,
  taskResultSchema,
  describeTermination,
  type TaskResult,
} from '../base/protocol/result.ts';
import type { TaskDetail } from '../hub/client/hub-client.ts';
import { describeFilesOfTask, describeLocalMerge, type MergeDescriber } from './merge-instructions.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';
import { formatDuration, type Terminal } from './terminal.ts';
import { toPrintable, toPrintableLine } from '../base/values/printable.ts';

interface NextStepOptions {
  describeMerge?: MergeDescriber | undefined;
  continueWith?: string | undefined;
  cacheDir?: string | undefined;
}

const MAX_DIFF_LINES = 200;
const MAX_NAMED_CHECKS = 8;

/**
 * Prints the end of a task. `describeMerge` describes how to get its branch, `continueWith` how to continue. `cacheDir`: the
 * folder of the worker's caches, if it is on this machine.
 */
export async function showResult(
  terminal: Terminal,
  task: TaskDetail,
  options: NextStepOptions & { diff?: boolean } = {},
): Promise<void> {
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
  await showNextSteps(terminal, task, result, {
    ...options,
    continueWith:
      options.continueWith ?? `ollama-sidecar follow-up ${quoteShellWord(toPrintable(task.task_id))}`,
  });
}

function showFailure({ prose, color }: Terminal, task: TaskDetail): void {
  const verdict = task.status === 'cancelled' ? 'CANCELLED' : 'FAILED';
  prose(`${color.red(color.bold(verdict))}  ${toPrintable(task.title)}`);
  if (task.error) prose(`  ${toPrintable(formatTaskError(task.error))}`, '');
}

function showVerdict(terminal: Terminal, task: TaskDetail, result: TaskResult): void {
  const { line, prose, color } = terminal;
  const paint = { success: color.green, partial: color.yellow, failed: color.red }[result.status];
  prose(
    `${paint(color.bold(verdictTextOf(result)))}${verificationTextOf(result)}  ${toPrintable(task.title)}`,
  );
  if (result.output.trim() !== '') prose(`\n${indent(toPrintable(result.output.trim()))}\n`, '');
  if (result.error) prose(`  ${color.red(toPrintable(formatTaskError(result.error)))}`, '');
  for (const text of result.completed)
    line(`  ${color.green('✓')} ${toPrintableLine(text, terminal.width - 6)}`);
  for (const text of result.remaining)
    line(`  ${color.red('✗')} ${toPrintableLine(text, terminal.width - 6)}`);
  if (result.unconfined !== undefined) {
    prose(`  ${color.yellow(`Commands ran without a sandbox: ${toPrintable(result.unconfined)}`)}`, '');
  }
  if (result.changes.patch_omitted !== undefined) {
    const missing = toPrintable(result.changes.patch_omitted);
    prose(`  ${color.yellow(`The changes are incomplete: ${missing}`)}`, '');
  }
  if (result.subfolder !== undefined)
    prose(`  ${color.dim(`Checks and commands ran in ${toPrintable(result.subfolder)}`)}`, '');
  const { branch_omitted: noBranch } = result.changes;
  if (noBranch !== undefined)
    prose(
      `  ${color.yellow(`The changes are not on a branch: ${toPrintable(noBranch)}. Use the patch instead`)}`,
      '',
    );
  for (const { text, isGood } of checkNotesOf(result))
    prose(`  ${(isGood ? color.green : color.yellow)(toPrintable(text))}`, '');
  if (isUnchecked(result)) {
    const how =
      'No checks ran: the task names none. Name commands that must succeed, e.g. --verify "npm test".';
    prose(`  ${color.yellow(how)}`, '');
  }
  prose(
    `  ${color.dim(`${figuresOf(task, result)}, ${toPrintable(result.model_used) || 'no model'}, ${describeTermination(result.termination_reason)}`)}`,
    '',
  );
  const { termination_detail: detail, error = '' } = result;
  if (detail && !error.includes(detail)) prose(`  ${color.dim(toPrintable(detail))}`, '');
}

/** Returns whether a successful task changed files and no check judged the changes. */
const isUnchecked = ({ status, changes, verification_report: report }: TaskResult): boolean =>
  status === 'success' && changes.files.length > 0 && (report?.checks ?? []).length === 0;

/** Formats the figures: the sums of all attempts if the task is from a hub. */
function figuresOf(task: TaskDetail, result: TaskResult): string {
  const costUsd = task.estimated_cost_usd ?? result.estimated_cost_usd;
  const iterations = task.iterations_used ?? result.iterations_used;
  return [
    `${iterations} iteration${iterations === 1 ? '' : 's'}`,
    `${task.tokens_in ?? result.tokens_in} tokens in`,
    `${task.tokens_out ?? result.tokens_out} out${result.tokens_estimated ? ' (estimated)' : ''}`,
    ...(costUsd > 0 ? [`$${costUsd.toFixed(4)}`] : []),
    formatDuration(task.worked_ms ?? result.execution_ms),
  ].join(', ');
}

function verdictTextOf(result: TaskResult): string {
  if (result.termination_reason === 'cancelled') return 'CANCELLED';
  if (result.nothing_to_do) return 'NOTHING TO DO';
  return isNotDone(result) ? 'NOT DONE' : result.status.toUpperCase();
}

const countPassedChecks = ({ verification_report: report }: TaskResult): number =>
  report?.checks.filter(({ status }) => status === 'pass').length ?? 0;

function verificationTextOf(result: TaskResult): string {
  const { status, verification_status: verification, verification_report: report } = result;
  if (status === 'success')
    return ` (${verification}${result.evidence === 'pass_to_pass' ? ': no regression' : ''})`;
  if (status !== 'partial' || !report || report.checks.length === 0) return '';
  const count = report.checks.length;
  return ` (${countPassedChecks(result)} of ${count} checks pass)`;
}

/** Returns the notes on the checks, without those that `remaining` contains. */
function checkNotesOf({
  verification_notes: notes = [],
  check_changes: changes,
  remaining,
  evidence,
}: TaskResult): ResultNote[] {
  const { fixed = [], broken = [] } = changes ?? {};
  const createNotes = (word: string, names: readonly string[], isGood: boolean): ResultNote[] =>
    names.length === 0 ? [] : [{ text: `${word}: ${names.slice(0, MAX_NAMED_CHECKS).join('; ')}`, isGood }];
  const evidenceText = evidence === 'pass_to_pass' ? describeEvidence({ evidence }) : undefined;
  return [
    ...(evidenceText === undefined ? [] : [{ text: `Evidence: ${evidenceText}`, isGood: false }]),
    ...notes.filter((note) => !remaining.includes(note)).map((text) => ({ text, isGood: false })),
    ...createNotes('Checks and tests that failed before the task and pass now', fixed, true),
    ...createNotes('Checks and tests that passed before the task and fail now', broken, false),
  ];
}

interface ResultNote {
  text: string;
  isGood: boolean;
}

function showDiff({ line, color }: Terminal, { changes }: TaskResult): void {
  if (changes.files.length === 0) return;
  line();
  for (const file of changes.files) {
    line(
      `  ${file.status.padEnd(8)} ${toPrintable(file.path)}  ${color.green(`+${file.additions}`)} ${color.red(`-${file.deletions}`)}`,
    );
  }
  if (changes.patch === '') return;
  line();
  // Blob ids mean nothing to users and make the line too long.
  const lines = toPrintable(changes.patch)
    .trimEnd()
    .split('\n')
    .filter((text) => !/^index [0-9a-f]{7,64}\.\.[0-9a-f]{7,64}/u.test(text));
  for (const text of lines.slice(0, MAX_DIFF_LINES)) line(`  ${paintDiff(text, color)}`);
  if (lines.length > MAX_DIFF_LINES) line(color.dim(`  … ${lines.length - MAX_DIFF_LINES} more lines`));
}

function paintDiff(text: string, color: Terminal['color']): string {
  if (text.startsWith('+++') || text.startsWith('---') || text.startsWith('diff ')) return color.bold(text);
  if (text.startsWith('@@')) return color.cyan(text);
  if (text.startsWith('+')) return color.green(text);
  return text.startsWith('-') ? color.red(text) : text;
}

async function showNextSteps(
  terminal: Terminal,
  { repo, task_id: taskId }: TaskDetail,
  result: TaskResult,
  { describeMerge, continueWith = '', cacheDir }: NextStepOptions,
): Promise<void> {
  const { line, prose, color } = terminal;
  const { branch, head_commit: head, files } = result.changes;
  const isUndone = isNotDone(result);
  const showContinuation = (): void => {
    if (!result.follow_up) return;
    prose('\n  Some work remains. To continue:', '');
    line(`    ${continueWith}`);
  };
  if (isUndone) showContinuation();
  const subject = isUndone ? 'The attempted changes' : 'The changes';
  const isOfRepository = repo != null || result.changes.base_commit != null;
  if (!branch && !isOfRepository && result.changes.patch !== '') {
    prose(`\n  ${subject} are in no repository.`, '');
    for (const { intro, commands } of await describeFilesOfTask(taskId, cacheDir)) {
      prose(`  ${intro}`, '');
      for (const command of commands) line(`    ${toPrintable(command)}`);
    }
  }
  if (branch && head && files.length > 0) {
    const instructions = describeMerge
      ? await describeMerge(branch)
      : repo
        ? await describeLocalMerge(repo, branch)
        : {
            intro: 'To apply the changes in the repository of the task:',
            commands: [`ollama-sidecar apply ${quoteShellWord(toPrintable(taskId))}`],
          };
    prose(
      `\n  ${subject} are on branch ${color.bold(toPrintable(branch))}.${instructions ? ` ${instructions.intro}` : ''}`,
      '',
    );
    // Not wrapped, so that commands can be copied.
    for (const command of instructions?.commands ?? []) line(`    ${toPrintable(command)}`);
  }
  if (!isUndone) showContinuation();
}

const indent = (text: string): string => text.replace(/^/gmu, '  ');
