/** Shows an evaluation on the terminal: a line when a run ends, tables at the end. */
import {
  comparedText,
  comparisonRows,
  endingsText,
  formatSeconds,
  outcomeWord,
  percent,
  formatTenths,
  totalRows,
  whole,
  formatInterval,
} from '../evaluate/figure-texts.ts';
import type { RunRecord } from '../evaluate/record.ts';
import type { WrittenProfile } from '../evaluate/write-profile.ts';
import type { Progress } from '../evaluate/run-all.ts';
import type { ModelComparison, ModelSummary, Share, TaskSummary } from '../evaluate/summary.ts';
import { duration, type Terminal } from './terminal.ts';
import { printableLine } from '../values/printable.ts';

const MAX_WHY_CHARS = 100;

/** Prints `[12/90] js-duration-days run 1: solved, 23.1 s, 1200 + 300 tokens, 3 calls; 14 min 02 s left`. */
export function showRun(terminal: Terminal, record: RunRecord, { done, total, leftMs }: Progress): void {
  const { color } = terminal;
  const word = outcomeWord(record);
  const painted = record.solved
    ? color.green(word)
    : record.falseSuccess
      ? color.red(word)
      : color.yellow(word);
  const figures = `${duration(record.seconds * 1000)}, ${record.tokensIn} + ${record.tokensOut} tokens, ${record.calls} ${record.calls === 1 ? 'call' : 'calls'}`;
  const left = done < total ? color.dim(`; ${duration(leftMs)} left`) : '';
  const why = record.solved ? '' : color.dim(` – ${printableLine(record.why, MAX_WHY_CHARS)}`);
  const who = `${record.task} run ${record.run}`;
  terminal.line(`[${done}/${total}] ${who}: ${painted}, ${figures}${left}${why}`);
}

/** Prints the tables of results for each model. */
export function showSummaries(terminal: Terminal, summaries: readonly ModelSummary[]): void {
  for (const summary of summaries) {
    terminal.line();
    terminal.line(terminal.color.bold(`${summary.model}: ${summary.tasks} tasks, ${summary.records} runs`));
    const rows = [
      ...totalRows(summary),
      ...summary.byKind.map(shareRow),
      ...summary.byLanguage.map(shareRow),
    ];
    terminal.table(rows.map(indentFirst));
    terminal.line();
    const titles = ['TASK', 'KIND', 'SOLVED', 'FALSE', 'TOOK', 'TOKENS', 'CALLS', 'ENDINGS', 'FIRST FAILURE'];
    terminal.table(
      summary.perTask.map((task) => taskRow(terminal, task)),
      titles,
    );
  }
}

function shareRow({ name, solved, tasks }: Share): string[] {
  return [name, `${formatInterval(solved, percent)} of ${tasks}`];
}

function taskRow({ color }: Terminal, task: TaskSummary): string[] {
  const solved = `${task.solved}/${task.runs}`;
  return [
    task.task,
    task.kind,
    task.solved === task.runs
      ? color.green(solved)
      : task.solved === 0
        ? color.red(solved)
        : color.yellow(solved),
    String(task.falseSuccesses || '–'),
    formatSeconds(task.seconds),
    whole(task.tokensIn + task.tokensOut),
    formatTenths(task.calls),
    endingsText(task.endings),
    printableLine(task.why, MAX_WHY_CHARS),
  ];
}

/** Prints the differences from an earlier evaluation. */
export function showComparisons(terminal: Terminal, comparisons: readonly ModelComparison[]): void {
  if (comparisons.length === 0) {
    terminal.line();
    terminal.prose(
      'Nothing to compare: the earlier result has other models. Compare evaluations of one model each.',
    );
  }
  for (const one of comparisons) {
    terminal.line();
    terminal.line(terminal.color.bold(comparedText(one)));
    terminal.table(comparisonRows(one).map(indentFirst));
  }
}

const indentFirst = ([name = '', ...cells]: readonly string[]): string[] => [`  ${name}`, ...cells];

/** Prints the settings written to a profile, or why none were. */
export function showProfile({ line, prose }: Terminal, written: WrittenProfile, file: string): void {
  const { model, keys, solved, candidates } = written;
  const texts = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  const compared = candidates === 1 ? 'the only settings measured' : `the best of ${candidates} settings`;
  line();
  if (texts.length === 0)
    prose(`${model}: nothing written; ${compared} were the defaults (${percent(solved)} solved).`, '');
  else prose(`${model}: wrote ${texts.join(', ')} into ${file}: ${compared}, ${percent(solved)} solved.`, '');
}
