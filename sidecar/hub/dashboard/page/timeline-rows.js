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
  addEventRow(event, at, row) {
    const iteration = event.kind === 'execution' ? event.body.iteration : undefined;
    const reference = detailReferenceOf(event);
    return this.push(
      { key: `e${event.id}`, iteration, ...(reference && { opens: [reference] }), ...row },
      at,
    );
  }

  /** @param {RowFacts & { key: string }} row @param {number} startMs */
  push(row, startMs) {
    /** @type {TimelineRow} */
    const fullRow = { startMs, endMs: startMs, version: 0, ...row };
    if (hasWorkerTime(row)) {
      this.firstMs ??= startMs;
      this.extendTo(startMs);
    }
    this.list.push(fullRow);
    return fullRow;
  }

  /** @param {TimelineRow} row @param {number} at @param {number} [durationMs] */
  end(row, at, durationMs) {
    row.endMs = Math.max(at, row.startMs);
    row.durationMs = durationMs ?? row.endMs - row.startMs;
    row.version += 1;
    this.extendTo(row.endMs);
  }

  /** @param {number} at */
  extendTo(at) {
    this.lastMs = Math.max(this.lastMs, at);
  }
}

/** Returns the reference to an event's stored details. @param {HubEvent} event */
const detailReferenceOf = ({ kind, id, task_id: taskId, body }) =>
  kind === 'execution' && body.has_details === true ? { taskId, eventId: id } : undefined;

/** Adds an event's stored details to a row. @param {TimelineRow} row @param {StoredExecution} event */
export function addDetailReference(row, event) {
  const reference = detailReferenceOf(event);
  if (reference) row.opens = [...(row.opens ?? []), reference];
}

/**
 * Returns whether a row has the worker's time. Other rows have the hub's time, which the axis does not show.
 * @param {RowFacts} row
 */
const hasWorkerTime = ({ type }) => !['state', 'attempt', 'steer', 'approval'].includes(type);
