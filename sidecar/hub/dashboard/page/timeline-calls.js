/* Tool calls and model calls on a timeline: one row each, with their output. */
import {
  createCallRow,
  lastLineOf,
  formatModelResult,
  createModelRow,
  formatCallResult,
  removeEmpty,
} from './call-row.js';
import { numberOf } from './lenient.js';
import { addDetailReference } from './timeline-rows.js';
/** @import { ModelCallDetail, StoredExecution, TimelineRow } from '../page-types.ts' */
/** @import { TimelineFigures } from './timeline-figures.js' */
/** @import { TimelineRows } from './timeline-rows.js' */

const maxTextChars = 20_000;

export class TimelineCalls {
  /** @param {TimelineRows} rows @param {TimelineFigures} figures */
  constructor(rows, figures) {
    this.rows = rows;
    this.figures = figures;
    /** Running tool calls by id. @type {Map<string, TimelineRow>} */
    this.tools = new Map();
    /** Running model calls by id; a draft's call has the draft's row. @type {Map<string, TimelineRow>} */
    this.models = new Map();
    /** The model of the last call. @type {string | undefined} */
    this.lastModel = undefined;
  }

  /** @param {StoredExecution} event @param {number} at */
  addToolCall(event, at) {
    const { body } = event;
    const id = body.call_id;
    const runningRow = id === undefined ? undefined : this.tools.get(id);
    if (body.phase === 'started') {
      const row = this.rows.push({ ...createCallRow(event), endMs: undefined }, at);
      this.figures.count(row);
      if (id !== undefined) this.tools.set(id, row);
      return;
    }
    const startMs = at - numberOf(body.duration_ms);
    const row =
      runningRow ?? this.rows.push(createCallRow(event), Math.max(startMs, this.rows.firstMs ?? startMs));
    if (!runningRow) this.figures.count(row);
    if (id !== undefined) this.tools.delete(id);
    const failed = body.success === false || /^ERR\b/.test(body.result_summary ?? '');
    if (failed && !row.isDraft) this.figures.failures += 1;
    // A draft that no check judged has neither passed nor failed. Workers of earlier versions reported it as failed.
    const isUnjudged = failed ? !/checks? pass/.test(body.result_summary ?? '') : body.success === undefined;
    row.success = row.isDraft && isUnjudged ? undefined : !failed;
    row.detail = { ...row.detail, ...removeEmpty(body) };
    row.result = formatCallResult(row);
    addDetailReference(row, event);
    this.rows.end(row, at, body.duration_ms);
  }

  /** @param {StoredExecution} event @param {number} at @param {ModelCallDetail} call */
  addModelCall(event, at, call) {
    const { body } = event;
    const { phase } = call;
    const key = call.id;
    const isOther = body.model !== this.lastModel;
    this.lastModel = body.model;
    const draft = this.#draftOf(call);
    if (draft) {
      this.#addDraftCall(draft, { event, at, call });
      return;
    }
    if (phase === 'started') {
      const row =
        this.#convertStatusRow(event, call) ??
        this.rows.push({ ...createModelRow(event, isOther), endMs: undefined }, at);
      addDetailReference(row, event);
      this.models.set(key, row);
      return;
    }
    const tookMs = Math.max(0, numberOf(body.duration_ms));
    const row =
      this.models.get(key) ??
      this.rows.push(createModelRow(event, isOther), Math.max(at - tookMs, this.rows.firstMs ?? 0));
    this.models.delete(key);
    row.success = body.success !== false;
    row.detail = { ...row.detail, ...removeEmpty(body) };
    row.result = formatModelResult(row.detail);
    this.rows.end(row, at, body.duration_ms);
  }

  /**
   * Turns the status row that announced this model load into the row of the load.
   * @param {StoredExecution} event @param {ModelCallDetail} call
   */
  #convertStatusRow(event, { kind }) {
    const { model } = event.body;
    const last = this.rows.list.at(-1);
    if (kind !== 'load' || !model || last?.type !== 'status' || !last.detail?.droppable) return undefined;
    if (!last.label.includes(model)) return undefined;
    const { key: _key, label, ...facts } = createModelRow(event, false);
    const how = last.label.slice(last.label.indexOf(model)).trim();
    Object.assign(last, { ...facts, label, args: how, endMs: undefined, version: last.version + 1 });
    return last;
  }

  /**
   * Returns the row of the draft that made a model call: the first draft without an answer.
   * @param {ModelCallDetail} call
   */
  #draftOf({ id, phase, kind }) {
    if (phase === 'started' && kind === 'answer') {
      return [...this.tools.values()].find((row) => row.isDraft && row.askedMs === undefined);
    }
    const row = this.models.get(id);
    return row?.isDraft ? row : undefined;
  }

  /** @param {TimelineRow} draft @param {{ event: StoredExecution, at: number, call: ModelCallDetail }} asked */
  #addDraftCall(draft, { event, at, call }) {
    draft.askedMs ??= at;
    draft.detail = { ...draft.detail, model_call: call };
    draft.version += 1;
    addDetailReference(draft, event);
    this.rows.extendTo(at);
    if (call.phase === 'started') this.models.set(call.id, draft);
    else {
      draft.answeredMs = at;
      this.models.delete(call.id);
    }
  }

  /**
   * Adds generated text to the row of its running model call, or else to a row of its own.
   * @param {StoredExecution} event @param {number} at
   */
  addText(event, at) {
    const id = event.body.model_call?.id;
    const call = id === undefined ? [...this.models.values()].at(-1) : this.models.get(id);
    // The text of an ended call already contains a piece that arrives late.
    if (!call && id !== undefined) return;
    if (!call) {
      this.#appendText(event, at, 'text', 'Model');
      return;
    }
    call.textMs ??= at;
    call.text = ((call.text ?? '') + (event.body.text ?? '')).slice(-maxTextChars);
    call.result = lastLineOf(call.text);
    call.version += 1;
    this.rows.extendTo(at);
  }

  /**
   * Adds output to the row of the running tool call, or else to a row of its own.
   * @param {StoredExecution} event @param {number} at
   */
  addOutput(event, at) {
    const call = [...this.tools.values()].at(-1);
    if (!call) {
      this.#appendText(event, at, 'output', 'Output');
      return;
    }
    call.output = ((call.output ?? '') + (event.body.text ?? '')).slice(-maxTextChars);
    call.version += 1;
    this.rows.extendTo(at);
  }

  /**
   * Appends text to the previous row of the same type.
   * @param {StoredExecution} event @param {number} at @param {'text' | 'output'} type @param {string} label
   */
  #appendText(event, at, type, label) {
    const last = this.rows.list.at(-1);
    const row =
      last?.type === type ? last : this.rows.push({ key: `e${event.id}`, type, label, text: '' }, at);
    row.text = ((row.text ?? '') + (event.body.text ?? '')).slice(-maxTextChars);
    row.label = lastLineOf(row.text) || label;
    row.detail = { text: row.text };
    row.endMs = at;
    row.version += 1;
    this.rows.extendTo(at);
  }

  /** Ends all calls of a run that was requeued, because no events report their end. @param {number} at */
  endAll(at) {
    for (const row of new Set([...this.tools.values(), ...this.models.values()])) {
      row.success = false;
      this.rows.end(row, at);
    }
    this.tools.clear();
    this.models.clear();
  }
}
