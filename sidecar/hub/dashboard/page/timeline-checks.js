/* Checks on a timeline: one row each. */
import { firstLineOf } from './call-row.js';
import { replaceCodes } from './explain.js';
import { isRecord, numberOf } from './lenient.js';
/** @import { StoredExecution, Report, TimelineRow, RowFacts } from '../page-types.ts' */
/** @import { TimelineRows } from './timeline-rows.js' */

export class TimelineChecks {
  /** @param {TimelineRows} rows */
  constructor(rows) {
    this.rows = rows;
    /** Rows of running checks. @type {Set<TimelineRow>} */
    this.open = new Set();
    /** The last verification report. @type {Report | undefined} */
    this.report = undefined;
  }

  /** @param {StoredExecution} event @param {number} at */
  add(event, at) {
    const { body } = event;
    if (isRecord(body.report)) this.report = body.report;
    const label = firstLineOf(replaceCodes(body.text));
    const runningRow = [...this.open].find((row) => label.startsWith(row.label));
    if (runningRow && body.phase === 'finished') {
      this.open.delete(runningRow);
      Object.assign(runningRow, { label, detail: body, success: body.success });
      this.rows.end(runningRow, at, body.duration_ms);
      return;
    }
    const isOpen = body.phase === 'started';
    /** @type {RowFacts} */
    const facts = { type: 'check', label, detail: body, success: body.success };
    const row = this.rows.addEventRow(event, at, { ...facts, ...(isOpen && { endMs: undefined }) });
    if (isOpen) this.open.add(row);
  }

  /**
   * Adds the baseline checks, which are only reported at their end. A failing baseline check is no failure of the task.
   * @param {StoredExecution} event @param {number} at
   */
  addBase(event, at) {
    const { body } = event;
    const startMs = Math.max(at - Math.max(0, numberOf(body.duration_ms)), this.rows.firstMs ?? 0);
    /** @type {RowFacts} */
    const facts = { type: 'check', label: firstLineOf(replaceCodes(body.text)), detail: body };
    const statusRow = this.rows.list.findLast(({ label }) => label === 'Running the checks on the base');
    const row = statusRow
      ? Object.assign(statusRow, facts, { startMs })
      : this.rows.addEventRow(event, startMs, facts);
    this.rows.end(row, at, body.duration_ms);
  }

  /** Ends all checks of a run that was requeued, because no events report their end. @param {number} at */
  endAll(at) {
    for (const row of this.open) {
      row.success = false;
      this.rows.end(row, at);
    }
    this.open.clear();
  }
}
