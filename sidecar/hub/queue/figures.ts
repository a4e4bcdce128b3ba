/** Figures of the overview: how tasks ended, time and tokens of model calls. Pure, except for a set of model names. */
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import { HOUR_MS } from '../storage/count-figures.ts';
import type { StatisticKind, FigureRow, TaskHead } from '../storage/tables.ts';

/** Upper bound of a call's reported time, so that sums cannot overflow. */
const MAX_CALL_MS = 86_400_000;
const MAX_MODEL_CHARS = 120;
/** Maximum number of model names counted separately within an hour, since workers choose the names. */
const MAX_MODELS = 100;
const OTHER_MODELS = '(others)';

/** Returns the figure of an ended task; undefined if the task has not ended. */
export function endingFigureOf(task: TaskHead): FigureRow | undefined {
  if (task.finished_at === null) return undefined;
  return {
    ...createFigure(task.finished_at, task.model_used, endingKindOf(task)),
    count: 1,
  };
}

/** Classifies the end of a task. `false_success`: the model reported success, but the checks fail. */
function endingKindOf(task: TaskHead): StatisticKind {
  const { status, verification_status: verification, termination_reason: reason } = task;
  if (status === 'cancelled') return 'cancelled';
  if (status === 'dead_letter') return 'failed';
  if (verification === 'verified') return 'verified';
  const isDenied = verification === 'failed' || verification === 'partial_pass';
  if (reason === 'final_answer' && isDenied) return 'false_success';
  return status === 'partial' ? 'partial' : 'unverified';
}

/** Returns the figure of a finished model call; undefined for any other event. */
export function workFigureOf({ model_call: call, model }: ExecutionEvent, at: number): FigureRow | undefined {
  if (call?.phase !== 'finished') return undefined;
  const workedMs = [call.load_ms, call.read_ms, call.write_ms].reduce<number>(
    (sum, ms) => sum + Math.min(Math.max(0, ms ?? 0), MAX_CALL_MS),
    0,
  );
  return {
    ...createFigure(at, model ?? null, 'work'),
    count: 1,
    gpu_ms: workedMs,
  };
}

/** Returns the figure of tokens that an attempt used, counted for the hour in which the hub received the report. */
export const usageFigureOf = (
  at: number,
  model: string | null,
  used: Pick<FigureRow, 'tokens_in' | 'tokens_out'>,
): FigureRow => ({ ...createFigure(at, model, 'work'), ...used });

function createFigure(at: number, model: string | null, kind: StatisticKind): FigureRow {
  const hour = at - (at % HOUR_MS);
  return {
    hour,
    kind,
    model: capDistinctModelName(hour, model ?? ''),
    count: 0,
    tokens_in: 0,
    tokens_out: 0,
    gpu_ms: 0,
  };
}

let modelNamesHour = 0;
const modelNames = new Set<string>();

function capDistinctModelName(hour: number, model: string): string {
  if (hour !== modelNamesHour) modelNames.clear();
  modelNamesHour = hour;
  const name = model.slice(0, MAX_MODEL_CHARS);
  if (modelNames.has(name)) return name;
  if (modelNames.size >= MAX_MODELS) return OTHER_MODELS;
  modelNames.add(name);
  return name;
}
