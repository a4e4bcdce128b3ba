/**
 * An evaluation as one HTML page without scripts and without anything from elsewhere: figures, charts, and a table whose
 * runs lead to their sessions. Pure.
 */
import { CHAT_LOG } from '../session/session.ts';
import type { RunRecord } from './record.ts';
import {
  comparedText,
  comparisonRows,
  endingsText,
  inSeconds,
  outcomeWord,
  tenths,
  totalRows,
  whole,
} from './figure-texts.ts';
import { escapeHtml, shareChart, timelineChart, tokensChart } from './report-charts.ts';
import type { EvaluationSettings, ModelComparison, ModelSummary, TaskSummary } from './summary.ts';

interface ReportInput {
  settings: EvaluationSettings;
  records: readonly RunRecord[];
  summaries: readonly ModelSummary[];
  comparisons?: readonly ModelComparison[];
}

/** The whole page; links are relative to the evaluation's folder. */
export function reportPage({ settings, records, summaries, comparisons = [] }: ReportInput): string {
  const title = `Evaluation of ${settings.models.join(', ')}`;
  const parts = summaries.flatMap((summary) => {
    const own = records.filter(({ model }) => model === summary.model);
    return [
      `<section><h2>${escapeHtml(summary.model)}</h2>`,
      totals(summary),
      `<div class="charts">${shareChart('Solved by kind', summary.byKind)}${shareChart('Solved by language', summary.byLanguage)}</div>`,
      taskTable(summary, own),
      timelineChart(own),
      '</section>',
    ];
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escapeHtml(title)}</h1>${settingsLine(settings)}`,
    ...comparisons.map(comparisonTable),
    tokensChart(summaries),
    ...parts,
    '</main></body></html>\n',
  ].join('\n');
}

function settingsLine(settings: EvaluationSettings): string {
  const { suite, runs, strategy, set, timeoutSeconds, program, startedAt } = settings;
  const texts = [
    `${runs} ${runs === 1 ? 'run' : 'runs'} of each task`,
    `suite ${suite}`,
    ...(strategy === undefined ? [] : [`strategy ${strategy}`]),
    ...Object.entries(set).map(([key, value]) => `${key}=${value}`),
    `${timeoutSeconds} s for a task`,
    program,
    startedAt,
  ];
  return `<p class="note">${texts.map(escapeHtml).join(' · ')}</p>`;
}

function totals(summary: ModelSummary): string {
  const rows = [['tasks and runs', `${summary.tasks} tasks, ${summary.records} runs`], ...totalRows(summary)];
  return `<table class="totals">${rows.map(tableRow).join('')}</table>`;
}

function comparisonTable(one: ModelComparison): string {
  const rows = comparisonRows(one).map(tableRow);
  return `<h2>${escapeHtml(comparedText(one))}, paired</h2><table>${rows.join('')}</table>`;
}

function tableRow([name = '', ...cells]: readonly string[]): string {
  const data = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('');
  return `<tr><th scope="row">${escapeHtml(name)}</th>${data}</tr>`;
}

function taskTable(summary: ModelSummary, records: readonly RunRecord[]): string {
  const heads = ['task', 'kind', 'language', 'runs', 'took', 'tokens', 'calls', 'endings', 'first failure'];
  const rows = summary.perTask.map((task) => {
    const own = records.filter((record) => record.task === task.task).sort((a, b) => a.run - b.run);
    return taskRow(task, own);
  });
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('');
  return `<table class="tasks"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function taskRow(task: TaskSummary, records: readonly RunRecord[]): string {
  const cells = [
    escapeHtml(task.kind),
    escapeHtml(task.language),
    records.map(runLink).join(' '),
    inSeconds(task.seconds),
    whole(task.tokensIn + task.tokensOut),
    tenths(task.calls),
    escapeHtml(endingsText(task.endings)),
    escapeHtml(task.why),
  ];
  return `<tr><th scope="row">${escapeHtml(task.task)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function runLink(record: RunRecord): string {
  const word = outcomeWord(record);
  const kind = record.solved ? 'good' : record.falseSuccess ? 'bad' : 'open';
  const title = `run ${record.run}: ${word}${record.why ? `, ${record.why}` : ''}`;
  const text = `<span class="chip ${kind}" title="${escapeHtml(title)}">${escapeHtml(word)}</span>`;
  if (record.session === undefined) return text;
  const path = record.session.split('/').map(encodeURIComponent).join('/');
  return `<a href="./${escapeHtml(path)}/${CHAT_LOG}">${text}</a>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --page: #fff; --track: #e9edf2;
  --good: #1a7f4b; --bad: #b3261e; --open: #8a6100; --draft: #d5dfef; --model: #3b6fd4; --tool: #d08a1d; --check: #7b4fc9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa6b5; --line: #333c48; --page: #151a21;
  --track: #262e38; --good: #4cc38a; --bad: #ff7b72; --open: #e3b341; --draft: #33415c; --model: #7aa2f7; --tool: #e0af68; --check: #bb9af7; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 32px 0 8px; }
.note, .legend { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 12px 0; } th, td { text-align: left; padding: 4px 12px 4px 0;
  border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
thead th, .totals th { color: var(--soft); white-space: nowrap; } tbody th, td { font-variant-numeric: tabular-nums; }
.tasks { font-size: 13px; width: 100%; } .tasks th[scope=row] { font-weight: 600; }
.charts { display: flex; flex-wrap: wrap; gap: 8px 32px; } figure { margin: 20px 0; overflow-x: auto; }
figcaption { font-weight: 600; margin-bottom: 6px; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .tick, svg .value { fill: var(--soft); } .track { fill: var(--track); background: var(--track); }
svg .solved { fill: var(--good); } .whisker { stroke: var(--ink); fill: none; } .grid { stroke: var(--line); }
.dot { fill-opacity: .75; } .model-0 { fill: var(--model); } .model-1 { fill: var(--tool); } .model-2 { fill: var(--check); }
.model-3 { fill: var(--good); } .model { fill: var(--model); background: var(--model); }
.draft { fill: var(--draft); background: var(--draft); stroke: var(--model); stroke-width: .5; }
.tool { fill: var(--tool); background: var(--tool); } .check { fill: var(--check); background: var(--check); }
svg .name-solved { fill: var(--good); font-size: 11px; } svg .name-open { font-size: 11px; }
.key { display: inline-block; width: 12px; height: 12px; margin: 0 2px 0 10px; vertical-align: -1px; }
.chip { display: inline-block; padding: 0 7px; border: 1px solid currentColor; border-radius: 9px; font-size: 12px; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); } a { text-decoration: none; }
`;
