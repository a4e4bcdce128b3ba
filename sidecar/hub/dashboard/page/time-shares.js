/*
 * Where a task's time went. Each moment counts once, for the first kind of these that was going on: so the shares add up
 * to the whole, also where calls overlap. Pure.
 */
import { modelParts, partsOf } from './call-row.js';

const kinds = ['write', 'read', 'load', 'check', 'tool', 'wait', 'draft'];

export const shareNames = {
  queue: 'In the queue',
  wait: 'Waiting for the model',
  load: 'Loading',
  read: 'Reading',
  write: 'Writing',
  tool: 'Tools',
  check: 'Checks',
  draft: 'Trying drafts',
  other: 'Other',
};

/** `[{ kind, ms }]` of what took time; `wholeMs` is the run's time, `queueMs` what came before it. */
export function timeShares(rows, nowMs, { wholeMs, queueMs = 0 }) {
  const shares = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  const active = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  let lastMs = 0;
  for (const [atMs, kind, change] of turns(rows, nowMs)) {
    const doing = kinds.find((one) => active[one] > 0);
    if (doing) shares[doing] += atMs - lastMs;
    lastMs = atMs;
    active[kind] += change;
  }
  const known = kinds.reduce((sum, kind) => sum + shares[kind], 0);
  const all = { queue: queueMs, ...shares, other: Math.max(0, wholeMs - known) };
  return Object.keys(shareNames)
    .map((kind) => ({ kind, ms: Math.round(all[kind]) }))
    .filter(({ ms }) => ms > 0);
}

/** Beginnings and ends in order of time. */
function turns(rows, nowMs) {
  const found = [];
  for (const row of rows) {
    for (const [kind, fromMs, toMs] of spans(row, nowMs)) {
      if (toMs > fromMs) found.push([fromMs, kind, 1], [toMs, kind, -1]);
    }
  }
  return found.sort((a, b) => a[0] - b[0]);
}

function spans(row, nowMs) {
  const end = row.endMs ?? nowMs;
  if (row.type === 'model') return modelSpans(row, end);
  // The model's calls for a draft have rows of their own; the rest of its time goes into trying it.
  if (row.type === 'call') return [[row.isDraft ? 'draft' : 'tool', row.startMs, end]];
  if (row.waits) return [['wait', row.startMs, end]];
  if (row.type === 'check') return [['check', row.startMs, end]];
  return [];
}

function modelSpans(row, end) {
  const parts = partsOf(row.detail.model_call);
  if (parts.length === 0) return openSpans(row, end);
  let at = row.startMs;
  return modelParts.flatMap((kind) => {
    const part = parts.find((one) => one.kind === kind);
    if (!part) return [];
    const from = at;
    at = Math.min(end, at + part.ms);
    return [[kind, from, at]];
  });
}

/** A call that is open tells no more than that, unless text comes. */
function openSpans({ detail, startMs, textMs = Infinity }, end) {
  const before = detail.model_call?.kind === 'load' ? 'load' : 'wait';
  const writesMs = Math.min(end, Math.max(startMs, textMs));
  return [
    [before, startMs, writesMs],
    ['write', writesMs, end],
  ];
}
