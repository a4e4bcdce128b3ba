/* Checks on a timeline: one row each, from its beginning to its end. */
import { firstLine } from './call-row.js';
import { plain } from './explain.js';
import { isRecord, number } from './lenient.js';
/** @import { ExecutionStored, Report, Row, RowFacts } from '../page-types.ts' */
/** @import { TimelineRows } from './timeline-rows.js' */

export class TimelineChecks {
  /** @param {TimelineRows} rows */
  constructor(rows) {
    this.rows = rows;
    /** Those that have not ended. @type {Set<Row>} */
    this.open = new Set();
    /** The last one. @type {Report | undefined} */
    this.report = undefined;
  }

  /** @param {ExecutionStored} event @param {number} at */
  add(event, at) {
    const { body } = event;
    if (isRecord(body.report)) this.report = body.report;
    const label = firstLine(plain(body.text));
    const begun = [...this.open].find((row) => label.startsWith(row.label));
    if (begun && body.phase === 'finished') {
      this.open.delete(begun);
      Object.assign(begun, { label, detail: body, success: body.success });
      this.rows.end(begun, at, body.duration_ms);
      return;
    }
    const isOpen = body.phase === 'started';
    /** @type {RowFacts} */
    const facts = { type: 'check', label, detail: body, success: body.success };
    const row = this.rows.note(event, at, { ...facts, ...(isOpen && { endMs: undefined }) });
    if (isOpen) this.open.add(row);
  }

  /**
   * The checks on the base are told at their end only; that they fail is no failure.
   * @param {ExecutionStored} event @param {number} at
   */
  addBase(event, at) {
    const { body } = event;
    const startMs = Math.max(at - Math.max(0, number(body.duration_ms)), this.rows.firstMs ?? 0);
    /** @type {RowFacts} */
    const facts = { type: 'check', label: firstLine(plain(body.text)), detail: body };
    const begun = this.rows.list.findLast(({ label }) => label === 'Running the checks on the base');
    const row = begun ? Object.assign(begun, facts, { startMs }) : this.rows.note(event, startMs, facts);
    this.rows.end(row, at, body.duration_ms);
  }

  /** Those of a run that was taken away have no end of their own. @param {number} at */
  endAll(at) {
    for (const row of this.open) {
      row.success = false;
      this.rows.end(row, at);
    }
    this.open.clear();
  }
}
