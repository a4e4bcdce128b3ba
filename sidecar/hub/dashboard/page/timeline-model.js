/* Builds a task's timeline from its events. Pure and incremental: one `add` per event, in order, at constant cost. */
import { firstLineOf } from './call-row.js';
import {
  describeAttemptEnding,
  describeEnding,
  replaceCodes,
  formatSentence,
  explainHold,
} from './explain.js';
import { statusNameOf } from './format.js';
import { isNumber, isRecord, numberOf, textOf } from './lenient.js';
import { TimelineAttempts } from './timeline-attempts.js';
import { TimelineCalls } from './timeline-calls.js';
import { TimelineChecks } from './timeline-checks.js';
import { TimelineFigures } from './timeline-figures.js';
import { TimelineRows } from './timeline-rows.js';
/** @import { StoredApproval, StoredExecution, HubEvent, TimelineRow, StoredTaskChange } from '../page-types.ts' */

export class Timeline {
  #rows = new TimelineRows();
  /** The row of the current hold. @type {TimelineRow | undefined} */
  #holdRow = undefined;
  /** The row of the last hold; further holds with the same cause are merged into it. @type {TimelineRow | undefined} */
  #lastHold = undefined;

  constructor() {
    this.figures = new TimelineFigures();
    this.calls = new TimelineCalls(this.#rows, this.figures);
    this.checks = new TimelineChecks(this.#rows);
    this.attempts = new TimelineAttempts();
    /** Time at which the hub last received an event, by the hub's clock. */
    this.lastEventMs = 0;
    /** @type {unknown} */
    this.plan = undefined;
    /** The reason of the current hold. @type {string | undefined} */
    this.held = undefined;
  }

  get rows() {
    return this.#rows.list;
  }

  get firstMs() {
    return this.#rows.firstMs;
  }

  get lastMs() {
    return this.#rows.lastMs;
  }

  /** @param {HubEvent} event */
  add(event) {
    if (event.kind === 'execution') this.#addExecution(event);
    else if (event.kind === 'task') this.#addStateChange(event);
    else if (event.kind === 'steer') {
      const { text } = event.body;
      this.#rows.addEventRow(event, this.lastMs || event.at, {
        type: 'steer',
        label: text,
        detail: { text },
      });
    } else if (event.kind === 'approval') this.#addApproval(event);
  }

  /** @param {StoredExecution} event */
  #addExecution(event) {
    const { body } = event;
    // Events are positioned by the worker's clock only, so that its difference from the hub's clock does not matter.
    const at = isNumber(body.timestamp) ? body.timestamp : event.at;
    this.lastEventMs = Math.max(this.lastEventMs, numberOf(event.at));
    this.#enterIteration(event, at);
    this.figures.add(body);
    if (body.model_call || body.on_hold === '') this.#endHold(at);
    switch (body.event_type) {
      case 'tool_call':
        this.calls.addToolCall(event, at);
        break;
      case 'token':
        this.calls.addText(event, at);
        break;
      case 'stdout':
      case 'stderr':
        this.calls.addOutput(event, at);
        break;
      case 'plan':
        this.plan = body.plan ?? body.text;
        this.#rows.addEventRow(event, at, { type: 'plan', label: firstLineOf(body.text), detail: body });
        break;
      case 'verification':
        this.checks.add(event, at);
        break;
      default:
        if (isRecord(body.model_call)) this.calls.addModelCall(event, at, body.model_call);
        else if (isRecord(body.checks) && isNumber(body.duration_ms)) this.checks.addBase(event, at);
        else this.#addStatus(event, at);
    }
  }

  /** Adds a row for a new iteration, except for a draft's. @param {StoredExecution} event @param {number} at */
  #enterIteration({ id, body }, at) {
    const { iteration } = body;
    if (!this.figures.enter(iteration) || body.tool_name === 'draft') return;
    this.#rows.push({ key: `i${id}`, type: 'iteration', label: `Iteration ${iteration}`, iteration }, at);
  }

  /**
   * Adds a row for a status. A hold lasts until the task continues; consecutive holds are merged.
   * @param {StoredExecution} event @param {number} at
   */
  #addStatus(event, at) {
    const { body } = event;
    if (body.on_hold === '' && this.#lastHold && this.#lastHold === this.rows.at(-1)) {
      this.#lastHold.result = firstLineOf(replaceCodes(body.text));
      this.#lastHold.version += 1;
      return;
    }
    const holdReason = body.on_hold ? textOf(body.on_hold) : undefined;
    if (holdReason !== undefined) {
      this.#addHold(event, at, holdReason);
      return;
    }
    const type = body.event_type === 'error' ? 'error' : 'status';
    this.#rows.addEventRow(event, at, { type, label: firstLineOf(replaceCodes(body.text)), detail: body });
  }

  /** @param {StoredExecution} event @param {number} at @param {string} held */
  #addHold(event, at, held) {
    this.#endHold(at);
    this.held = held;
    const previous = this.#lastHold;
    const cause = causeOf(held);
    const { todo } = explainHold(held);
    if (previous && previous === this.rows.at(-1) && previous.cause === cause) {
      previous.times = (previous.times ?? 1) + 1;
      Object.assign(previous, {
        endMs: undefined,
        detail: event.body,
        label: `On hold ${previous.times} times: ${explainHold(held).means ?? replaceCodes(held)}`,
      });
      previous.result = todo && `What to do: ${todo}`;
      previous.version += 1;
      this.#holdRow = previous;
      return;
    }
    const row = this.#rows.addEventRow(event, at, {
      type: 'status',
      label: firstLineOf(replaceCodes(event.body.text)),
      detail: event.body,
      cause,
      ...(todo && { facts: [['What to do', formatSentence(todo)]] }),
      endMs: undefined,
    });
    this.#holdRow = row;
    this.#lastHold = row;
  }

  /** @param {number} at */
  #endHold(at) {
    this.held = undefined;
    const row = this.#holdRow;
    if (!row) return;
    this.#holdRow = undefined;
    row.endMs = Math.max(at, row.startMs);
    row.version += 1;
  }

  /** @param {StoredTaskChange} event */
  #addStateChange(event) {
    const { body } = event;
    const { reason } = body;
    const from = this.rows.length;
    if (reason === 'assigned') {
      this.held = undefined;
      this.figures.beginAttempt(body);
    }
    // These changes are shown elsewhere: by the figures, the worker's hold event, and the approval.
    if (['figures', 'hold', 'asks'].includes(reason)) return;
    if (endReasons.has(reason)) this.#endAll();
    const label = labelOf(body);
    if (endReasons.has(reason) && this.#mergeIdleAttempt(label)) return;
    const row = this.#updateFirstRow(reason, label) ?? this.#addStateRow(event, label);
    if (reason === 'assigned') this.attempts.begin(body, row, from);
    if (reason === 'completed')
      this.attempts.end(describeAttemptEnd(body, label), body.status === 'success' || undefined);
    else if (endReasons.has(reason))
      this.attempts.end(describeAttemptEnd(body, label), reason === 'cancelled' ? undefined : false);
  }

  /**
   * Merges an idle attempt with the previous one if both ended the same way. Returns whether they were merged.
   * @param {string} label
   */
  #mergeIdleAttempt(label) {
    const { from } = this.attempts;
    const previous = this.rows[from - 1];
    const isIdle = this.rows.slice(from).every(({ type }) => idleTypes.has(type));
    if (!isIdle || previous?.cause !== label || !this.attempts.mergeLast()) return false;
    this.rows.splice(from);
    previous.times = (previous.times ?? 1) + 1;
    previous.label = `${label} (${previous.times} times)`;
    previous.version += 1;
    return true;
  }

  /** Adds the progress of an assignment to the attempt's first row. @param {string} reason @param {string} label */
  #updateFirstRow(reason, label) {
    const firstRow = this.rows.at(-1);
    if (!firstRow?.begins || (reason !== 'assigned' && reason !== 'accepted')) return undefined;
    firstRow.detail = { text: `${firstRow.detail?.text}\n${label}` };
    if (firstRow.type === 'state') firstRow.label = label;
    firstRow.version += 1;
    return firstRow;
  }

  /** @param {StoredTaskChange} event @param {string} label */
  #addStateRow(event, label) {
    const { reason, error } = event.body;
    const begins = reason === 'submitted' || reason === 'assigned';
    const hasFailed = reason === 'dead_letter' || reason === 'retry';
    return this.#rows.addEventRow(event, this.lastMs || event.at, {
      type: 'state',
      label,
      ...(endReasons.has(reason) && { cause: label }),
      begins,
      detail: begins ? { text: label } : error ? { text: error } : undefined,
      success: hasFailed ? false : undefined,
    });
  }

  #endAll() {
    this.calls.endAll(this.lastMs);
    this.checks.endAll(this.lastMs);
    this.#endHold(this.lastMs);
  }

  /** @param {StoredApproval} event */
  #addApproval(event) {
    const { kind, summary, status, text } = event.body;
    const isPending = status === 'pending';
    const answer =
      status === 'expired' ? 'Closed: the task no longer waits for an answer' : `Answered: ${status}`;
    this.#rows.addEventRow(event, this.lastMs || event.at, {
      type: 'approval',
      label: isPending
        ? `Asks (${kind}): ${firstLineOf(summary)}`
        : `${answer}${text ? ` – ${firstLineOf(text)}` : ''}`,
      detail: { text: isPending ? summary : (text ?? status) },
    });
  }
}

/** Removes the figures, which differ each time, from a hold's reason. @param {string} held */
const causeOf = (held) => held.replaceAll(/\d+(?:\.\d+)?/g, '#');

/** Reasons for which the hub requeues a task whose worker is lost or silent. */
const requeueReasons = ['worker_lost', 'not_accepted', 'lease_expired'];
/** Reasons after which the worker's run of the task has ended. */
const endReasons = new Set([...requeueReasons, 'retry', 'cancelled', 'dead_letter']);

/** Types of rows of an attempt that called no model and ran nothing. */
const idleTypes = new Set(['state', 'attempt', 'status']);

/** Describes a change of the task's state. @param {StoredTaskChange['body']} body */
function labelOf(body) {
  /** @type {Record<string, string>} */
  const names = {
    submitted: 'Submitted',
    assigned: `Assigned to ${body.worker_id}`,
    accepted: `Accepted by ${body.worker_id}`,
    completed: body.status === 'success' ? 'Completed' : `Ended: ${statusNameOf(body)}`,
    retry: `Requeued for another attempt${body.error ? `: ${firstLineOf(replaceCodes(body.error))}` : ''}`,
    dead_letter: `Given up: ${firstLineOf(replaceCodes(body.error))}`,
    cancelled: 'Cancelled',
    ...Object.fromEntries(
      requeueReasons.map((reason) => [reason, `Requeued: ${describeAttemptEnding(reason)}`]),
    ),
    follow_up_created: `Follow-up created: ${body.follow_up_task_id}`,
  };
  return names[body.reason] ?? replaceCodes(body.reason);
}

/** Describes why an attempt ended. @param {StoredTaskChange['body']} body @param {string} label */
function describeAttemptEnd({ reason, status, error, termination_reason: termination }, label) {
  if (reason === 'retry' || reason === 'dead_letter') return firstLineOf(replaceCodes(error)) || 'Failed';
  const reasonText = status === 'partial' ? describeEnding(termination) : undefined;
  return reasonText ? `${label}, ${reasonText}` : label;
}
