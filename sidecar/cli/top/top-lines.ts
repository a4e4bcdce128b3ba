/** The screen of `top`, line by line; texts from the hub are made printable and cut to the width. Pure. */
import { duration, table, type Terminal } from '../terminal.ts';
import { printableLine } from '../../values/printable.ts';
import { paintVersion, paintWorkerState } from '../paint-status.ts';
import type { TopFigures } from './read-top.ts';

interface TopStyle {
  color: Terminal['color'];
  width: number;
  /** It is drawn again and again. */
  live?: boolean;
  /** Why the figures are old. */
  problem?: string;
}

const MAX_WAITING = 5;
const NAME_CHARS = 24;

export function topLines(figures: TopFigures, style: TopStyle): string[] {
  const { color, width, problem, live = false } = style;
  return [
    headLine(figures, style),
    ...(problem === undefined ? [] : [color.yellow(printableLine(`old figures: ${problem}`, width))]),
    ...section('WORKERS', workerRows(figures, style), style),
    ...section('MODELS, LAST MINUTE', modelRows(figures, style), style),
    ...section('RUNNING', runningRows(figures, style), style),
    ...section('WAITING', waitingRows(figures, style), style),
    ...(live ? ['', color.dim('q quits')] : []),
  ];
}

function headLine({ tasks, load, capacity }: TopFigures, { color }: TopStyle): string {
  const of = (status: string) => String(tasks[status] ?? 0);
  return [
    color.bold('ollama-sidecar'),
    color.cyan(`${load}/${capacity} running`),
    `${of('queued')} queued`,
    color.green(`${of('success')} done`),
    color.yellow(`${of('partial')} partial`),
    color.red(`${of('dead_letter')} failed`),
  ].join('  ');
}

function section(title: string, rows: string[][], { color, width }: TopStyle): string[] {
  if (rows.length === 0) return [];
  return ['', color.dim(title), ...table(rows, width - 2).map((line) => `  ${line}`)];
}

function workerRows({ workers }: TopFigures, { color, width }: TopStyle): string[][] {
  if (workers.length === 0) return [[color.yellow('none is connected')]];
  return workers.map((worker) => {
    return [
      printableLine(worker.agent_id, NAME_CHARS),
      paintWorkerState(color, worker),
      `${worker.load}/${worker.capacity}`,
      paintVersion(color, worker),
      printableLine(worker.not_ready ?? worker.models.join(', '), Math.max(10, width - NAME_CHARS - 38)),
    ];
  });
}

function modelRows({ models }: TopFigures, _style: TopStyle): string[][] {
  return models.map(({ model, calls, busy_share: busy, tokens_per_second: rate }) => [
    printableLine(model, NAME_CHARS),
    `busy ${Math.round(busy * 100)} %`,
    rate === null ? '' : `${rate} tokens/s`,
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
  ]);
}

function runningRows({ running }: TopFigures, { color, width }: TopStyle): string[][] {
  const room = Math.max(12, Math.floor((width - NAME_CHARS - 30) / 2));
  return running.map((task) => [
    printableLine(task.worker_id ?? '–', NAME_CHARS),
    task.running_ms === null ? '–' : duration(task.running_ms),
    printableLine(task.title, room),
    color.cyan(printableLine(task.stage ?? '', room)) +
      (task.stage_ms === null ? '' : color.dim(` ${duration(task.stage_ms)}`)),
  ]);
}

function waitingRows({ waiting }: TopFigures, { width }: TopStyle): string[][] {
  const rows = waiting
    .slice(0, MAX_WAITING)
    .map(({ count, reason }) => [String(count), printableLine(`for ${reason}`, Math.max(10, width - 10))]);
  const rest = waiting.slice(MAX_WAITING).reduce((sum, { count }) => sum + count, 0);
  return rest > 0 ? [...rows, [String(rest), 'for other things']] : rows;
}
