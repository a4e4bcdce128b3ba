/** An evaluation on the terminal: a line for each run as it ends, tables at the end. */
import { endingsText, inSeconds, outcomeWord, tenths, withInterval } from '../evaluate/figure-texts.ts';
import type { RunRecord } from '../evaluate/record.ts';
import type { Reliability } from '../evaluate/reliability.ts';
import type { WrittenProfile } from '../evaluate/write-profile.ts';
import type { Progress } from '../evaluate/run-all.ts';
import type { Comparison, Estimate } from '../evaluate/statistics.ts';
import type { ModelComparison, ModelSummary, TaskSummary } from '../evaluate/summary.ts';
import { duration, type Terminal } from './terminal.ts';
import { printableLine } from '../values/printable.ts';

const MAX_WHY_CHARS = 100;

/** `[12/90] js-duration-days run 1: solved, 23.1 s, 1200 + 300 tokens, 3 calls; 14 min 02 s left`. */
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

/** Tables of what was found. */
export function showSummaries(terminal: Terminal, summaries: readonly ModelSummary[]): void {
  for (const summary of summaries) {
    terminal.line();
    terminal.line(terminal.color.bold(`${summary.model}: ${summary.tasks} tasks, ${summary.records} runs`));
    terminal.table(totalRows(summary));
    terminal.line();
    const titles = ['TASK', 'KIND', 'SOLVED', 'FALSE', 'TOOK', 'TOKENS', 'CALLS', 'ENDINGS', 'FIRST FAILURE'];
    terminal.table(
      summary.perTask.map((task) => taskRow(terminal, task)),
      titles,
    );
  }
}

function totalRows(summary: ModelSummary): string[][] {
  const { solvedByRun, secondsPerSolved, tokensPerSolved } = summary;
  const runs = solvedByRun.map((share) => percent(share)).join(', ');
  return [
    ['  solved', withInterval(summary.solved, percent), `by run: ${runs}`],
    ['  false successes', withInterval(summary.falseSuccess, percent)],
    ['  partial', withInterval(summary.partial, percent)],
    ['  changed something', withInterval(summary.changed, percent)],
    ['  time of a task', withInterval(summary.seconds, inSeconds), perSolved(secondsPerSolved, inSeconds)],
    ['  tokens in', withInterval(summary.tokensIn, whole)],
    [
      '  tokens out',
      withInterval(summary.tokensOut, whole),
      perSolved(tokensPerSolved, whole, 'in and out, '),
    ],
    ['  calls', withInterval(summary.calls, tenths)],
    ['  malformed answers', percent(summary.malformedShare)],
    ['  endings', endingsText(summary.endings)],
    ...summary.byKind.map((share) => [`  ${share.name}`, shareText(share)]),
    ...summary.byLanguage.map((share) => [`  ${share.name}`, shareText(share)]),
  ];
}

const shareText = ({ solved, tasks }: { solved: Estimate; tasks: number }): string =>
  `${withInterval(solved, percent)} of ${tasks}`;

const perSolved = (value: number | undefined, text: (value: number) => string, what = ''): string =>
  value === undefined ? '' : `${what}per solved task: ${text(value)}`;

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
    inSeconds(task.seconds),
    whole(task.tokensIn + task.tokensOut),
    tenths(task.calls),
    endingsText(task.endings),
    printableLine(task.why, MAX_WHY_CHARS),
  ];
}

/** How this evaluation differs from an earlier one. */
export function showComparisons(terminal: Terminal, comparisons: readonly ModelComparison[]): void {
  if (comparisons.length === 0) {
    terminal.line();
    terminal.prose(
      'Nothing to compare: the earlier result has other models. Compare evaluations of one model each.',
    );
  }
  for (const one of comparisons) {
    terminal.line();
    const against = one.earlierModel === one.model ? 'the earlier result' : one.earlierModel;
    terminal.line(terminal.color.bold(`${one.model} against ${against}, ${one.solved.tasks} tasks of both`));
    terminal.table([
      ['  solved', ...comparisonCells(one.solved, percentPoints)],
      ['  false successes', ...comparisonCells(one.falseSuccess, percentPoints)],
      ['  time of a task', ...comparisonCells(one.seconds, (value) => `${signed(value, 1)} s`)],
      ['  tokens of a task', ...comparisonCells(one.tokens, (value) => signed(value, 0))],
    ]);
  }
}

function comparisonCells(comparison: Comparison, text: (value: number) => string): string[] {
  const { difference, p, isReal } = comparison;
  const range = `(90 %: ${text(difference.low)} to ${text(difference.high)}, p = ${p.toFixed(3)})`;
  return [text(difference.mean), range, isReal ? 'a difference' : 'may be noise'];
}

/** The settings written into a profile, or why none were. */
export function showProfile({ line, prose }: Terminal, written: WrittenProfile, file: string): void {
  const { model, keys, solved, candidates } = written;
  const texts = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  const compared = candidates === 1 ? 'the only settings measured' : `the best of ${candidates} settings`;
  line();
  if (texts.length === 0)
    prose(`${model}: nothing written; ${compared} were the defaults (${percent(solved)} solved).`, '');
  else prose(`${model}: wrote ${texts.join(', ')} into ${file}: ${compared}, ${percent(solved)} solved.`, '');
}

/** The well-formed calls of one mode. */
export function showMode(
  { line }: Terminal,
  { mode, answers, wellFormed, others, seconds }: Reliability,
): void {
  const share = answers === 0 ? 'no answer' : `${((wellFormed / answers) * 100).toFixed(1)} %`;
  const rest = endingsText(others);
  line(
    `  ${mode.padEnd(10)} ${share} (${wellFormed} of ${answers}), ${duration(seconds * 1000)}${rest && `; else: ${rest}`}`,
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
const percentPoints = (share: number): string => `${signed(share * 100, 1)} points`;
const signed = (value: number, digits: number): string => `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;
const whole = (value: number): string => String(Math.round(value));
