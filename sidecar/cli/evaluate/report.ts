/** Formats an evaluation as Markdown: settings, a table of models, differences, and a table of tasks. Pure. */
import type { RunRecord } from './record.ts';
import type { Comparison, Estimate } from './statistics.ts';
import type { EvaluationSettings, ModelComparison, ModelSummary } from './summary.ts';

interface ReportInput {
  settings: EvaluationSettings;
  summaries: readonly ModelSummary[];
  comparisons?: readonly ModelComparison[];
}

/** Returns the whole document. External texts are escaped, so that they cannot leave their cells. */
export function formatReport({ settings, summaries, comparisons }: ReportInput): string {
  const { suite, runs, strategy, set, timeoutSeconds, program, startedAt } = settings;
  const facts = [
    `${runs} ${runs === 1 ? 'run' : 'runs'} of each task of ${suite}`,
    ...(strategy === undefined ? [] : [`strategy ${strategy}`]),
    ...Object.entries(set).map(([key, value]) => `${key}=${value}`),
    `time limit of ${timeoutSeconds} s per task`,
    program,
    startedAt,
  ];
  const figures = summaries.map(figuresOf);
  const names = Object.keys(figures[0] ?? {});
  return [
    `# Evaluation of ${settings.models.map(escapeCell).join(', ')}`,
    facts.map(escapeCell).join(' · '),
    formatTable(
      ['', ...summaries.map(({ model }) => model)],
      names.map((name) => [name, ...figures.map((modelFigures) => modelFigures[name] ?? '')]),
    ),
    ...(comparisons ? [formatComparisonTable(comparisons)] : []),
    formatTable(
      [
        'model',
        'task',
        'kind',
        'language',
        'solved',
        'false',
        'time',
        'tokens',
        'calls',
        'endings',
        'first failure',
      ],
      summaries.flatMap(({ model, perTask }) => perTask.map((task) => [model, ...formatTaskCells(task)])),
    ),
    '',
  ].join('\n\n');
}

/** Returns the formatted figures of a model, keyed by their names. */
function figuresOf(summary: ModelSummary): Record<string, string> {
  const { secondsPerSolved: seconds, tokensPerSolved: tokens } = summary;
  return {
    'tasks, runs': `${summary.tasks}, ${summary.records}`,
    solved: formatInterval(summary.solved, formatPercent),
    'solved in each run': summary.solvedByRun.map(formatPercent).join(', '),
    'false successes': formatInterval(summary.falseSuccess, formatPercent),
    partial: formatInterval(summary.partial, formatPercent),
    'changed something': formatInterval(summary.changed, formatPercent),
    'time per task': formatInterval(summary.seconds, formatSeconds),
    'tokens in': formatInterval(summary.tokensIn, formatCount),
    'tokens out': formatInterval(summary.tokensOut, formatCount),
    calls: formatInterval(summary.calls, (value) => value.toFixed(1)),
    'malformed answers': formatPercent(summary.malformedShare),
    'per solved task':
      seconds === undefined || tokens === undefined
        ? 'nothing solved'
        : `${formatSeconds(seconds)}, ${formatCount(tokens)} tokens in and out`,
    endings: formatEndings(summary.endings),
  };
}

const formatTaskCells = (task: ModelSummary['perTask'][number]): string[] => [
  task.task,
  task.kind,
  task.language,
  `${task.solved}/${task.runs}`,
  String(task.falseSuccesses),
  formatSeconds(task.seconds),
  formatCount(task.tokensIn + task.tokensOut),
  task.calls.toFixed(1),
  formatEndings(task.endings),
  task.why,
];

function formatComparisonTable(comparisons: readonly ModelComparison[]): string {
  if (comparisons.length === 0)
    return 'Nothing to compare: the earlier result contains none of these models. To compare two models, evaluate each one in a separate run.';
  return formatTable(
    ['paired comparison', '', 'difference', 'interval', 'p-value', ''],
    comparisons.flatMap(({ model, earlierModel, ...comparison }) => {
      const partnerName = earlierModel === model ? 'the earlier evaluation' : earlierModel;
      const head = `${model} against ${partnerName}, ${comparison.solved.tasks} tasks in common`;
      const formatPoints = (share: number): string => `${formatSigned(share * 100, 1)} points`;
      return [
        [head, 'solved', ...formatDifferenceCells(comparison.solved, formatPoints)],
        [head, 'false successes', ...formatDifferenceCells(comparison.falseSuccess, formatPoints)],
        [
          head,
          'time per task',
          ...formatDifferenceCells(comparison.seconds, (value) => `${formatSigned(value, 1)} s`),
        ],
        [
          head,
          'tokens per task',
          ...formatDifferenceCells(comparison.tokens, (value) => formatSigned(value, 0)),
        ],
      ];
    }),
  );
}

const formatDifferenceCells = (
  { difference, p, isReal }: Comparison,
  format: (value: number) => string,
): string[] => [
  format(difference.mean),
  `90 %: ${format(difference.low)} to ${format(difference.high)}`,
  `p = ${p.toFixed(3)}`,
  isReal ? 'a difference' : 'may be noise',
];

export function outcomeWordOf({ solved, falseSuccess, claimed }: RunRecord): string {
  if (solved) return 'solved';
  return falseSuccess ? 'false success' : claimed;
}

export const formatPercent = (share: number): string =>
  `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
const formatInterval = ({ mean, low, high }: Estimate, format: (value: number) => string): string =>
  `${format(mean)} (90 %: ${format(low)} to ${format(high)})`;
const formatSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;
const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
const formatSigned = (value: number, digits: number): string =>
  `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;

/** Formats endings with their counts, the most frequent first. */
const formatEndings = (endingCounts: Readonly<Record<string, number>>): string =>
  Object.entries(endingCounts)
    .sort(([, a], [, b]) => b - a)
    .map(([ending, count]) => `${ending} ${count}`)
    .join(', ');

function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes a text for a table cell: no markup, line ends or control characters. */
const escapeCell = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>|#&]/gu, (mark) => `\\${mark}`);
