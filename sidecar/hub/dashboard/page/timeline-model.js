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
  #waiting = undefined;
  /** The row of the last hold; further holds with the same cause are merged into it. @type {TimelineRow | undefined} */
  #lastHold = undefined;

  constructor() {
    this.figures = new TimelineFigures();
    this.calls = new TimelineCalls(this.#rows, this.figures);
    this.checks = new TimelineChecks(this.#rows);
    this.attempts = new TimelineAttempts();
    /** When the hub last received an event, by its clock. */
    this.heardMs = 0;
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
    if (event.kind === 'execution') this.#execution(event);
    else if (event.kind === 'task') this.#state(event);
    else if (event.kind === 'steer') {
      const { text } = event.body;
      this.#rows.note(event, this.lastMs || event.at, { type: 'steer', label: text, detail: { text } });
    } else if (event.kind === 'approval') this.#approval(event);
  }

  /** @param {StoredExecution} event */
  #execution(event) {
    const { body } = event;
    // The worker's clock alone positions events; its difference from the hub's clock does not matter.
    const at = isNumber(body.timestamp) ? body.timestamp : event.at;
    this.heardMs = Math.max(this.heardMs, numberOf(event.at));
    this.#enterIteration(event, at);
    this.figures.add(body);
    if (body.model_call || body.on_hold === '') this.#endHold(at);
    switch (body.event_type) {
      case 'tool_call':
        this.calls.tool(event, at);
        break;
      case 'token':
        this.calls.written(event, at);
        break;
      case 'stdout':
      case 'stderr':
        this.calls.output(event, at);
        break;
      case 'plan':
        this.plan = body.plan ?? body.text;
        this.#rows.note(event, at, { type: 'plan', label: firstLineOf(body.text), detail: body });
        break;
      case 'verification':
        this.checks.add(event, at);
        break;
      default:
        if (isRecord(body.model_call)) this.calls.model(event, at, body.model_call);
        else if (isRecord(body.checks) && isNumber(body.duration_ms)) this.checks.addBase(event, at);
        else this.#status(event, at);
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
  #status(event, at) {
    const { body } = event;
    if (body.on_hold === '' && this.#lastHold && this.#lastHold === this.rows.at(-1)) {
      this.#lastHold.result = firstLineOf(replaceCodes(body.text));
      this.#lastHold.version += 1;
      return;
    }
    const held = body.on_hold ? textOf(body.on_hold) : undefined;
    if (held !== undefined) {
      this.#hold(event, at, held);
      return;
    }
    const type = body.event_type === 'error' ? 'error' : 'status';
    this.#rows.note(event, at, { type, label: firstLineOf(replaceCodes(body.text)), detail: body });
  }

  /** @param {StoredExecution} event @param {number} at @param {string} held */
  #hold(event, at, held) {
    this.#endHold(at);
    this.held = held;
    const before = this.#lastHold;
    const cause = causeOf(held);
    const { todo } = explainHold(held);
    if (before && before === this.rows.at(-1) && before.cause === cause) {
      before.times = (before.times ?? 1) + 1;
      Object.assign(before, {
        endMs: undefined,
        detail: event.body,
        label: `On hold ${before.times} times: ${explainHold(held).means ?? replaceCodes(held)}`,
      });
      before.result = todo && `What to do: ${todo}`;
      before.version += 1;
      this.#waiting = before;
      return;
    }
    const row = this.#rows.note(event, at, {
      type: 'status',
      label: firstLineOf(replaceCodes(event.body.text)),
      detail: event.body,
      cause,
      ...(todo && { facts: [['What to do', formatSentence(todo)]] }),
      endMs: undefined,
    });
    this.#waiting = row;
    this.#lastHold = row;
  }

  /** @param {number} at */
  #endHold(at) {
    this.held = undefined;
    const row = this.#waiting;
    if (!row) return;
    this.#waiting = undefined;
    row.endMs = Math.max(at, row.startMs);
    row.version += 1;
  }

  /** @param {StoredTaskChange} event */
  #state(event) {
    const { body } = event;
    const { reason } = body;
    const from = this.rows.length;
    if (reason === 'assigned') {
      this.held = undefined;
      this.figures.beginAttempt(body);
    }
    // Other parts show these changes: figures, the worker's hold event, the approval.
    if (['figures', 'hold', 'asks'].includes(reason)) return;
    if (stops.has(reason)) this.#endAll();
    const label = labelOf(body);
    if (stops.has(reason) && this.#joinsAttemptBefore(label)) return;
    const row = this.#begun(reason, label) ?? this.#noteState(event, label);
    if (reason === 'assigned') this.attempts.begin(body, row, from);
    if (reason === 'completed')
      this.attempts.end(endedOf(body, label), body.status === 'success' || undefined);
    else if (stops.has(reason))
      this.attempts.end(endedOf(body, label), reason === 'cancelled' ? undefined : false);
  }

  /**
   * Merges an idle attempt with the previous one if both ended the same way. Returns whether it did.
   * @param {string} label
   */
  #joinsAttemptBefore(label) {
    const { from } = this.attempts;
    const before = this.rows[from - 1];
    const isIdle = this.rows.slice(from).every(({ type }) => idleTypes.has(type));
    if (!isIdle || before?.cause !== label || !this.attempts.join()) return false;
    this.rows.splice(from);
    before.times = (before.times ?? 1) + 1;
    before.label = `${label} (${before.times} times)`;
    before.version += 1;
    return true;
  }

  /** Adds the progress of an assignment to the attempt's first row. @param {string} reason @param {string} label */
  #begun(reason, label) {
    const begun = this.rows.at(-1);
    if (!begun?.begins || (reason !== 'assigned' && reason !== 'accepted')) return undefined;
    begun.detail = { text: `${begun.detail?.text}\n${label}` };
    if (begun.type === 'state') begun.label = label;
    begun.version += 1;
    return begun;
  }

  /** @param {StoredTaskChange} event @param {string} label */
  #noteState(event, label) {
    const { reason, error } = event.body;
    const begins = reason === 'submitted' || reason === 'assigned';
    const bad = reason === 'dead_letter' || reason === 'retry';
    return this.#rows.note(event, this.lastMs || event.at, {
      type: 'state',
      label,
      ...(stops.has(reason) && { cause: label }),
      begins,
      detail: begins ? { text: label } : error ? { text: error } : undefined,
      success: bad ? false : undefined,
    });
  }

  #endAll() {
    this.calls.endAll(this.lastMs);
    this.checks.endAll(this.lastMs);
    this.#endHold(this.lastMs);
  }

  /** @param {StoredApproval} event */
  #approval(event) {
    const { kind, summary, status, text } = event.body;
    const asked = status === 'pending';
    const answer =
      status === 'expired' ? 'Closed: the task no longer waits for an answer' : `Answered: ${status}`;
    this.#rows.note(event, this.lastMs || event.at, {
      type: 'approval',
      label: asked
        ? `Asks (${kind}): ${firstLineOf(summary)}`
        : `${answer}${text ? ` – ${firstLineOf(text)}` : ''}`,
      detail: { text: asked ? summary : (text ?? status) },
    });
  }
}

/** Removes the figures, which differ each time, from a hold's reason. @param {string} held */
const causeOf = (held) => held.replaceAll(/\d+(?:\.\d+)?/g, '#');

/** Reasons after which the worker's run of the task has ended. */
const takenBack = ['worker_lost', 'not_accepted', 'lease_expired'];
const stops = new Set([...takenBack, 'retry', 'cancelled', 'dead_letter']);

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
    ...Object.fromEntries(takenBack.map((reason) => [reason, `Requeued: ${describeAttemptEnding(reason)}`])),
    follow_up_created: `Follow-up created: ${body.follow_up_task_id}`,
  };
  return names[body.reason] ?? replaceCodes(body.reason);
}

/** Describes why an attempt ended. @param {StoredTaskChange['body']} body @param {string} label */
function endedOf({ reason, status, error, termination_reason: termination }, label) {
  if (reason === 'retry' || reason === 'dead_letter') return firstLineOf(replaceCodes(error)) || 'Failed';
  const why = status === 'partial' ? describeEnding(termination) : undefined;
  return why ? `${label}, ${why}` : label;
}
