/*
 * Shares of a task's time. Each moment counts once, for the first kind in this order that was active, so that the
 * shares add up to the whole even if calls overlap. Pure.
 */
import { modelParts, phasesOf } from './call-row.js';
/** @import { TimelineRow } from '../page-types.ts' */

const shareKinds = /** @type {const} */ (['write', 'read', 'load', 'check', 'tool', 'wait', 'draft']);
/** @typedef {(typeof shareKinds)[number]} Kind */

/** @type {Record<Kind | 'queue' | 'other', string>} */
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

/**
 * Returns the shares as `[{ kind, ms }]`; `wholeMs`: duration of the run, `queueMs`: time in the queue before it.
 * @param {readonly TimelineRow[]} rows @param {number} nowMs @param {{ wholeMs: number, queueMs?: number }} run
 */
export function computeTimeShares(rows, nowMs, { wholeMs, queueMs = 0 }) {
  const shares = { write: 0, read: 0, load: 0, check: 0, tool: 0, wait: 0, draft: 0 };
  const active = { ...shares };
  let lastMs = 0;
  for (const [atMs, kind, change] of listChanges(rows, nowMs)) {
    const activeKind = shareKinds.find((one) => active[one] > 0);
    if (activeKind) shares[activeKind] += atMs - lastMs;
    lastMs = atMs;
    active[kind] += change;
  }
  const knownMs = shareKinds.reduce((sum, kind) => sum + shares[kind], 0);
  const allShares = { queue: queueMs, ...shares, other: Math.max(0, wholeMs - knownMs) };
  return /** @type {(keyof typeof allShares)[]} */ (Object.keys(shareNames))
    .map((kind) => ({ kind, ms: Math.round(allShares[kind]) }))
    .filter(({ ms }) => ms > 0);
}

/**
 * Returns the starts and ends of all spans in order of time.
 * @param {readonly TimelineRow[]} rows @param {number} nowMs
 */
function listChanges(rows, nowMs) {
  /** @type {[atMs: number, kind: Kind, change: 1 | -1][]} */
  const changes = [];
  for (const row of rows) {
    for (const [kind, fromMs, toMs] of spansOf(row, nowMs)) {
      if (toMs > fromMs) changes.push([fromMs, kind, 1], [toMs, kind, -1]);
    }
  }
  return changes.sort((a, b) => a[0] - b[0]);
}

/** @param {TimelineRow} row @param {number} nowMs @returns {[kind: Kind, fromMs: number, toMs: number][]} */
function spansOf(row, nowMs) {
  const end = row.endMs ?? nowMs;
  if (row.type === 'model') return modelSpansOf(row, end);
  if (row.type === 'call') {
    const { askedMs: startMs, answeredMs = end } = row;
    const modelTimes = startMs === undefined ? [] : modelSpansOf({ ...row, startMs }, answeredMs);
    // The rest of a draft's time is spent on applying and checking it.
    return [[row.isDraft ? 'draft' : 'tool', row.startMs, end], ...modelTimes];
  }
  if (row.type === 'status' && row.cause !== undefined) return [['wait', row.startMs, end]];
  if (row.type === 'check') return [['check', row.startMs, end]];
  return [];
}

/** @param {TimelineRow} row @param {number} end @returns {[kind: Kind, fromMs: number, toMs: number][]} */
function modelSpansOf(row, end) {
  const parts = phasesOf(row.detail?.model_call);
  if (parts.length === 0) return openSpansOf(row, end);
  let at = row.startMs;
  return modelParts.flatMap((kind) => {
    const part = parts.find((one) => one.kind === kind);
    if (!part) return [];
    const from = at;
    at = Math.min(end, at + part.ms);
    return [/** @type {[Kind, number, number]} */ ([kind, from, at])];
  });
}

/**
 * Returns the spans of a call that has not ended: waiting or loading until the first text arrives, then writing.
 * @param {TimelineRow} row @param {number} end @returns {[kind: Kind, fromMs: number, toMs: number][]}
 */
function openSpansOf({ detail, startMs, textMs = Infinity }, end) {
  const firstKind = detail?.model_call?.kind === 'load' ? 'load' : 'wait';
  const writesMs = Math.min(end, Math.max(startMs, textMs));
  return [
    [firstKind, startMs, writesMs],
    ['write', writesMs, end],
  ];
}
