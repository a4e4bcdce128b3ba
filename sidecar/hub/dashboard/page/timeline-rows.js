/* The rows of a timeline in order, and their time span by the worker's clock. */
/** @import { StoredExecution, HubEvent, TimelineRow, RowFacts } from '../page-types.ts' */

export class TimelineRows {
  constructor() {
    /** @type {TimelineRow[]} */
    this.list = [];
    /** @type {number | undefined} */
    this.firstMs = undefined;
    this.lastMs = 0;
  }

  /** Adds a row for an event. @param {HubEvent} event @param {number} at @param {RowFacts} row */
  note(event, at, row) {
    const iteration = event.kind === 'execution' ? event.body.iteration : undefined;
    const opened = openedBy(event);
    return this.push({ key: `e${event.id}`, iteration, ...(opened && { opens: [opened] }), ...row }, at);
  }

  /** @param {RowFacts & { key: string }} row @param {number} startMs */
  push(row, startMs) {
    /** @type {TimelineRow} */
    const whole = { startMs, endMs: startMs, version: 0, ...row };
    if (byWorker(row)) {
      this.firstMs ??= startMs;
      this.touch(startMs);
    }
    this.list.push(whole);
    return whole;
  }

  /** @param {TimelineRow} row @param {number} at @param {number} [durationMs] */
  end(row, at, durationMs) {
    row.endMs = Math.max(at, row.startMs);
    row.durationMs = durationMs ?? row.endMs - row.startMs;
    row.version += 1;
    this.touch(row.endMs);
  }

  /** @param {number} at */
  touch(at) {
    this.lastMs = Math.max(this.lastMs, at);
  }
}

/** Returns the reference to an event's stored details. @param {HubEvent} event */
const openedBy = ({ kind, id, task_id: taskId, body }) =>
  kind === 'execution' && body.has_details === true ? { taskId, eventId: id } : undefined;

/** Adds an event's stored details to a row. @param {TimelineRow} row @param {StoredExecution} event */
export function openWith(row, event) {
  const opened = openedBy(event);
  if (opened) row.opens = [...(row.opens ?? []), opened];
}

/** Returns whether a row has the worker's time: the axis does not show the hub's time of the others. @param {RowFacts} row */
const byWorker = ({ type }) => !['state', 'attempt', 'steer', 'approval'].includes(type);
