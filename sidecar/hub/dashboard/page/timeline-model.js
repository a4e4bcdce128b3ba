/*
 * Turns a task's events into the rows of its timeline. Pure and incremental: one `add` per event, in order;
 * ten thousand events cost ten thousand small steps.
 */

const maxText = 20_000;

export class Timeline {
  constructor() {
    this.rows = [];
    this.calls = new Map();
    this.firstMs = undefined;
    this.lastMs = 0;
    this.iteration = 0;
    this.tokens = 0;
    this.costUsd = undefined;
    this.plan = undefined;
    this.report = undefined;
    this.failures = 0;
    this.toolCalls = 0;
    this.model = undefined;
  }

  /** Adds one stored event `{ id, at, kind, body }`. */
  add(event) {
    if (event.kind === 'execution') this.#execution(event);
    else if (event.kind === 'task') this.#state(event);
    else if (event.kind === 'steer') {
      this.#note(event, this.lastMs || event.at, {
        type: 'steer',
        label: event.body.text,
        detail: { text: event.body.text },
      });
    } else if (event.kind === 'approval') this.#approval(event);
  }

  #execution(event) {
    const { body } = event;
    // The worker's clock alone places what it did; how far it is from the hub's does not matter.
    const at = Number.isFinite(body.timestamp) ? body.timestamp : event.at;
    if (body.model) this.model = body.model;
    this.#enterIteration(event, at, body.iteration);
    if (Number.isFinite(body.tokens_so_far)) this.tokens = Math.max(this.tokens, body.tokens_so_far);
    const cost = body.cost_usd_so_far;
    if (Number.isFinite(cost)) this.costUsd = Math.max(this.costUsd ?? 0, cost);
    switch (body.event_type) {
      case 'tool_call':
        this.#call(event, at);
        break;
      case 'token':
        this.#stream(event, at, 'text', 'Model');
        break;
      case 'stdout':
      case 'stderr':
        this.#output(event, at);
        break;
      case 'plan':
        this.plan = body.plan ?? body.text;
        this.#note(event, at, { type: 'plan', label: firstLine(body.text), detail: body });
        break;
      case 'verification':
        if (body.report) this.report = body.report;
        this.#note(event, at, {
          type: 'check',
          label: firstLine(body.text),
          detail: body,
          success: body.success,
        });
        break;
      default:
        this.#note(event, at, {
          type: body.event_type === 'error' ? 'error' : 'status',
          label: firstLine(body.text),
          detail: body,
        });
    }
  }

  #enterIteration(event, at, iteration) {
    if (!Number.isSafeInteger(iteration) || iteration <= this.iteration) return;
    this.iteration = iteration;
    this.#push({ key: `i${event.id}`, type: 'iteration', label: `Iteration ${iteration}`, iteration }, at);
  }

  #call(event, at) {
    const { body } = event;
    const known = body.call_id === undefined ? undefined : this.calls.get(body.call_id);
    if (body.phase === 'started') {
      const row = this.#push({ ...callRow(event), endMs: undefined }, at);
      this.toolCalls += 1;
      if (body.call_id !== undefined) this.calls.set(body.call_id, row);
      return;
    }
    const startMs = Number.isFinite(body.duration_ms) ? at - body.duration_ms : at;
    const row = known ?? this.#push(callRow(event), Math.max(startMs, this.firstMs ?? startMs));
    if (!known) this.toolCalls += 1;
    if (known) this.calls.delete(body.call_id);
    const failed = body.success === false || /^ERR\b/.test(body.result_summary ?? '');
    if (failed) this.failures += 1;
    row.endMs = Math.max(at, row.startMs);
    row.durationMs = body.duration_ms ?? row.endMs - row.startMs;
    row.success = !failed;
    row.detail = { ...row.detail, ...withoutEmpty(body) };
    row.result = resultText(row);
    row.version += 1;
    this.#touch(row.endMs);
  }

  /** Token text joins the row before it. */
  #stream(event, at, type, label) {
    const last = this.rows.at(-1);
    const row = last?.type === type ? last : this.#push({ key: `e${event.id}`, type, label, text: '' }, at);
    row.text = (row.text + (event.body.text ?? '')).slice(-maxText);
    row.label = lastLine(row.text) || label;
    row.detail = { text: row.text };
    row.endMs = at;
    row.version += 1;
    this.#touch(at);
  }

  /** Output belongs to the call that is running, else it has a row of its own. */
  #output(event, at) {
    const call = [...this.calls.values()].at(-1);
    if (!call) {
      this.#stream(event, at, 'output', 'Output');
      return;
    }
    call.output = ((call.output ?? '') + (event.body.text ?? '')).slice(-maxText);
    call.version += 1;
    this.#touch(at);
  }

  #state(event) {
    const { body } = event;
    if (body.reason === 'assigned') this.#beginAttempt();
    const names = {
      submitted: 'Submitted',
      assigned: `Assigned to ${body.worker_id}`,
      accepted: `Accepted by ${body.worker_id}`,
      completed: body.status === 'partial' ? 'Ended with a partial result' : 'Completed',
      retry: `Back in the queue: ${firstLine(body.error ?? 'tried again')}`,
      dead_letter: `Given up: ${firstLine(body.error ?? '')}`,
      cancelled: 'Cancelled',
      worker_lost: 'Taken back: the worker’s connection was lost',
      not_accepted: 'Taken back: the worker did not accept it',
      lease_expired: 'Taken back: the worker went silent',
      follow_up_created: `Follow-up made: ${body.follow_up_task_id}`,
    };
    // How a race stands is told by its own lines, costs by the figures.
    if (body.reason === 'race' || body.reason === 'figures') return;
    if (
      ['worker_lost', 'not_accepted', 'lease_expired', 'retry', 'cancelled', 'dead_letter'].includes(
        body.reason,
      )
    ) {
      this.#endCalls(this.lastMs);
    }
    const bad = body.reason === 'dead_letter' || body.reason === 'retry';
    this.#note(event, this.lastMs || event.at, {
      type: 'state',
      label: names[body.reason] ?? body.reason,
      detail: body.error ? { text: body.error } : undefined,
      success: bad ? false : undefined,
    });
  }

  /** Rounds, tokens and cost are those of the attempt that runs: each begins from its own figures. */
  #beginAttempt() {
    this.iteration = 0;
    this.tokens = 0;
    this.costUsd = undefined;
  }

  #approval(event) {
    const { kind, summary, status, text } = event.body;
    const asked = status === 'pending';
    const answer = status === 'expired' ? 'Nobody waits for the answer any more' : `Answered: ${status}`;
    this.#note(event, this.lastMs || event.at, {
      type: 'approval',
      label: asked
        ? `Asks (${kind}): ${firstLine(summary)}`
        : `${answer}${text ? ` – ${firstLine(text)}` : ''}`,
      detail: { text: asked ? summary : (text ?? status) },
    });
  }

  /** Calls of a run that was taken away have no end of their own. */
  #endCalls(at) {
    for (const row of this.calls.values()) {
      row.endMs = at;
      row.durationMs = at - row.startMs;
      row.success = false;
      row.version += 1;
    }
    this.calls.clear();
  }

  #note(event, at, row) {
    this.#push({ key: `e${event.id}`, iteration: event.body.iteration, ...row }, at);
  }

  #push(row, startMs) {
    const whole = { startMs, endMs: startMs, version: 0, eventId: row.key, ...row };
    if (byWorker(row)) {
      this.firstMs ??= startMs;
      this.#touch(startMs);
    }
    this.rows.push(whole);
    return whole;
  }

  #touch(at) {
    this.lastMs = Math.max(this.lastMs, at);
  }
}

/** Steering, approvals and changes of state have the hub's time, which the axis does not show. */
const byWorker = ({ type }) => type !== 'state' && type !== 'steer' && type !== 'approval';

function callRow({ id, body }) {
  return {
    key: `e${id}`,
    type: 'call',
    label: body.tool_name ?? firstLine(body.text),
    args: shortArguments(body.args_summary ?? ''),
    iteration: body.iteration,
    detail: withoutEmpty(body),
  };
}

/** What came of a call, and whether the model's call had to be repaired first. */
function resultText({ detail, success }) {
  const result = detail.result_summary ?? (success ? 'OK' : 'ERR');
  return detail.repaired === true ? `repaired · ${result}` : result;
}

/** `{"path":"a.ts","limit":5}` as `a.ts limit=5`; what is no whole JSON as it is. */
function shortArguments(summary) {
  let parsed;
  try {
    parsed = JSON.parse(summary);
  } catch {
    return summary;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return summary;
  return Object.entries(parsed)
    .map(([key, value], index) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return index === 0 ? text : `${key}=${text}`;
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

const withoutEmpty = (body) =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
const firstLine = (text = '') =>
  String(text)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';
const lastLine = (text = '') =>
  text
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim() ?? '';
