/** Formats an evaluation as Markdown: settings, figures of each model, and a table of tasks. Pure. */
import {
  comparedText,
  comparisonRows,
  endingsText,
  formatSeconds,
  formatTenths,
  totalRows,
  whole,
} from './figure-texts.ts';
import type { EvaluationSettings, ModelComparison, ModelSummary, TaskSummary } from './summary.ts';

interface ReportInput {
  settings: EvaluationSettings;
  summaries: readonly ModelSummary[];
  comparisons?: readonly ModelComparison[];
}

/** Returns the whole document. External texts are escaped, so that they stay in their cells. */
export function reportDocument({ settings, summaries, comparisons = [] }: ReportInput): string {
  const { suite, runs, strategy, set, timeoutSeconds, program, startedAt } = settings;
  const facts = [
    `${runs} ${runs === 1 ? 'run' : 'runs'} of each task of ${suite}`,
    ...(strategy === undefined ? [] : [`strategy ${strategy}`]),
    ...Object.entries(set).map(([key, value]) => `${key}=${value}`),
    `${timeoutSeconds} s for a task`,
    program,
    startedAt,
  ];
  return [
    `# Evaluation of ${settings.models.map(escapeCell).join(', ')}`,
    facts.map(escapeCell).join(' · '),
    ...comparisons.flatMap((one) => [
      `## ${escapeCell(comparedText(one))}, paired`,
      table(['', 'difference', 'interval', 'by chance', ''], comparisonRows(one)),
    ]),
    ...summaries.flatMap((summary) => [
      `## ${escapeCell(summary.model)}: ${summary.tasks} tasks, ${summary.records} runs`,
      table(['', ''], totalRows(summary)),
      table(TASK_TITLES, summary.perTask.map(taskRow)),
    ]),
    '',
  ].join('\n\n');
}

const TASK_TITLES = [
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
];

const taskRow = (task: TaskSummary): string[] => [
  task.task,
  task.kind,
  task.language,
  `${task.solved}/${task.runs}`,
  String(task.falseSuccesses),
  formatSeconds(task.seconds),
  whole(task.tokensIn + task.tokensOut),
  formatTenths(task.calls),
  endingsText(task.endings),
  task.why,
];

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes a text for a table cell: no markup, line ends or control characters. */
const escapeCell = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>|#&]/gu, (mark) => `\\${mark}`);
