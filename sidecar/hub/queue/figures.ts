/** The figures of an overview: how tasks ended, what calls of models took and used. Pure, but for the names that it remembers. */
import type { ExecutionEvent } from '../../protocol/events.ts';
import { HOUR_MS } from '../storage/count-figures.ts';
import type { FigureKind, FigureRow, TaskHead } from '../storage/tables.ts';

/** More than any call takes: sums must not overflow, whatever a worker says. */
const MAX_CALL_MS = 86_400_000;
const MAX_MODEL_CHARS = 120;
/** Names of models are chosen by workers; further ones of an hour are counted together. */
const MAX_MODELS = 100;
const OTHER_MODELS = '(others)';

/** How a task ended; undefined while it has not. */
export function endingFigure(task: TaskHead): FigureRow | undefined {
  if (task.finished_at === null) return undefined;
  return {
    ...blank(task.finished_at, task.model_used, endingKind(task)),
    count: 1,
  };
}

/** The model said that it was done and the checks say no: `false_success`. */
function endingKind(task: TaskHead): FigureKind {
  const { status, verification_status: verification, termination_reason: reason } = task;
  if (status === 'cancelled') return 'cancelled';
  if (status === 'dead_letter') return 'failed';
  if (verification === 'verified') return 'verified';
  const isDenied = verification === 'failed' || verification === 'partial_pass';
  if (reason === 'final_answer' && isDenied) return 'false_success';
  return status === 'partial' ? 'partial' : 'unverified';
}

/** The time of an ended call of the model; undefined for any other event. */
export function workFigure({ model_call: call, model }: ExecutionEvent, at: number): FigureRow | undefined {
  if (call?.phase !== 'finished') return undefined;
  const workedMs = [call.load_ms, call.read_ms, call.write_ms].reduce<number>(
    (sum, ms) => sum + Math.min(Math.max(0, ms ?? 0), MAX_CALL_MS),
    0,
  );
  return {
    ...blank(at, model ?? null, 'work'),
    count: 1,
    gpu_ms: workedMs,
  };
}

/** Tokens that an attempt has used, at the time when the hub heard of them. */
export const usedFigure = (
  at: number,
  model: string | null,
  used: Pick<FigureRow, 'tokens_in' | 'tokens_out'>,
): FigureRow => ({ ...blank(at, model, 'work'), ...used });

function blank(at: number, model: string | null, kind: FigureKind): FigureRow {
  const hour = at - (at % HOUR_MS);
  return {
    hour,
    kind,
    model: knownModel(hour, model ?? ''),
    count: 0,
    tokens_in: 0,
    tokens_out: 0,
    gpu_ms: 0,
  };
}

let namesOf = 0;
const names = new Set<string>();

function knownModel(hour: number, model: string): string {
  if (hour !== namesOf) names.clear();
  namesOf = hour;
  const name = model.slice(0, MAX_MODEL_CHARS);
  if (names.has(name)) return name;
  if (names.size >= MAX_MODELS) return OTHER_MODELS;
  names.add(name);
  return name;
}
