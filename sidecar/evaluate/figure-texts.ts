/** Formats the figures of an evaluation for the terminal and the report. Pure. */
import type { RunRecord } from './record.ts';
import type { Comparison, Estimate } from './statistics.ts';
import type { ModelComparison, ModelSummary } from './summary.ts';

export function outcomeWord({ solved, falseSuccess, claimed }: RunRecord): string {
  if (solved) return 'solved';
  return falseSuccess ? 'false success' : claimed;
}

export const percent = (share: number): string =>
  `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
export const formatInterval = ({ mean, low, high }: Estimate, text: (value: number) => string): string =>
  `${text(mean)} (90 %: ${text(low)} to ${text(high)})`;
export const formatSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;
export const formatTenths = (value: number): string => value.toFixed(1);
export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Formats endings with their counts, the most frequent first. */
export const endingsText = (counted: Readonly<Record<string, number>>): string =>
  Object.entries(counted)
    .sort(([, a], [, b]) => b - a)
    .map(([ending, count]) => `${ending} ${count}`)
    .join(', ');

/** Returns the totals of a model as names and figures. */
export function totalRows(summary: ModelSummary): [name: string, figure: string][] {
  const { secondsPerSolved: seconds, tokensPerSolved: tokens } = summary;
  const perSolved =
    seconds === undefined || tokens === undefined
      ? 'nothing solved'
      : `${formatSeconds(seconds)}, ${whole(tokens)} tokens in and out`;
  return [
    ['solved', formatInterval(summary.solved, percent)],
    ['solved by run', summary.solvedByRun.map(percent).join(', ')],
    ['false successes', formatInterval(summary.falseSuccess, percent)],
    ['partial', formatInterval(summary.partial, percent)],
    ['changed something', formatInterval(summary.changed, percent)],
    ['time of a task', formatInterval(summary.seconds, formatSeconds)],
    ['tokens in', formatInterval(summary.tokensIn, whole)],
    ['tokens out', formatInterval(summary.tokensOut, whole)],
    ['calls', formatInterval(summary.calls, formatTenths)],
    ['malformed answers', percent(summary.malformedShare)],
    ['per solved task', perSolved],
    ['endings', endingsText(summary.endings)],
  ];
}

/** Returns which models are compared, and on how many tasks. */
export function comparedText({ model, earlierModel, solved }: ModelComparison): string {
  const against = earlierModel === model ? 'the earlier result' : earlierModel;
  return `${model} against ${against}, ${solved.tasks} tasks of both`;
}

/** Returns rows with the name, difference, interval, p-value and assessment of each figure. */
export function comparisonRows(one: ModelComparison): string[][] {
  const row = (name: string, { difference, p, isReal }: Comparison, text: (value: number) => string) => [
    name,
    text(difference.mean),
    `90 %: ${text(difference.low)} to ${text(difference.high)}`,
    `p = ${p.toFixed(3)}`,
    isReal ? 'a difference' : 'may be noise',
  ];
  const points = (share: number): string => `${withSign(share * 100, 1)} points`;
  return [
    row('solved', one.solved, points),
    row('false successes', one.falseSuccess, points),
    row('time of a task', one.seconds, (value) => `${withSign(value, 1)} s`),
    row('tokens of a task', one.tokens, (value) => withSign(value, 0)),
  ];
}

const withSign = (value: number, digits: number): string => `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;
