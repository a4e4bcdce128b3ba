/*
 * Turns a task's events into the rows of its timeline. Pure and incremental: one `add` per event, in order;
 * ten thousand events cost ten thousand small steps.
 */
import { callRow, firstLine, lastLine, modelResult, modelRow, resultText, withoutEmpty } from './call-row.js';
import { attemptEndingText, plain } from './explain.js';
import { statusName } from './format.js';
import { isNumber, isRecord, number, textOf } from './lenient.js';
/** @import { ApprovalStored, Call, ExecutionStored, HubEvent, Report, Row, RowFacts, TaskStored } from '../page-types.ts' */

const maxText = 20_000;

export class Timeline {
  constructor() {
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<string, Row>} */
    this.calls = new Map();
    /** Calls of the model and checks that have not ended. @type {Map<string, Row>} */
    this.open = new Map();
    /** Assignments, and the first row of the last one. */
    this.attempts = 0;
    this.attemptFrom = 0;
    /** @type {number | undefined} */
    this.firstMs = undefined;
    this.lastMs = 0;
    /** When the hub heard the worker last, by the hub's clock. */
    this.heardMs = 0;
    this.iteration = 0;
    this.tokens = 0;
    /** @type {number | undefined} */
    this.costUsd = undefined;
    /** Of the attempts before the one that runs. */
    this.tokensBefore = 0;
    this.costBefore = 0;
    /** @type {unknown} */
    this.plan = undefined;
    /** @type {Report | undefined} */
    this.report = undefined;
    /** What the task waits for, where it is held. @type {string | undefined} */
    this.held = undefined;
    this.failures = 0;
    this.toolCalls = 0;
    this.drafts = 0;
    /** @type {string | undefined} */
    this.model = undefined;
    /** The model of the last call. @type {string | undefined} */
    this.asked = undefined;
  }

  /** Adds one stored event. @param {HubEvent} event */
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

  /**
   * `used` is of all attempts, the figures so far are of the attempt that runs.
   * @param {ExecutionStored['body']} body
   */
  #figures({ used, tokens_so_far: tokens, cost_usd_so_far: cost }) {
    if (used && isNumber(tokens)) {
      this.tokensBefore = Math.max(0, number(used.tokens_in) + number(used.tokens_out) - tokens);
      this.costBefore = Math.max(0, number(used.cost_usd) - number(cost));
      // Work that goes on after a crash counts from what it had.
      [this.tokens, this.costUsd] = [0, undefined];
    }
    this.tokens = Math.max(this.tokens, this.tokensBefore + number(tokens));
    if (isNumber(cost)) this.costUsd = Math.max(this.costUsd ?? 0, this.costBefore + cost);
  }

  /** @param {ExecutionStored} event */
  #execution(event) {
    const { body } = event;
    // The worker's clock alone places what it did; how far it is from the hub's does not matter.
    const at = isNumber(body.timestamp) ? body.timestamp : event.at;
    this.heardMs = Math.max(this.heardMs, number(event.at));
    if (body.model) this.model = body.model;
    if (body.tool_name === 'draft') this.iteration = Math.max(this.iteration, number(body.iteration));
    else this.#enterIteration(event, at, body.iteration);
    this.#figures(body);
    if (body.model_call || body.on_hold === '') this.#goOn(at);
    switch (body.event_type) {
      case 'tool_call':
        this.#call(event, at);
        break;
      case 'token':
        this.#written(event, at);
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
        this.#check(event, at);
        break;
      default:
        if (isRecord(body.model_call)) this.#modelCall(event, at, body.model_call);
        else if (isRecord(body.checks) && isNumber(body.duration_ms)) this.#baseChecks(event, at);
        else this.#status(event, at);
    }
  }

  /**
   * Where it says that the task has to wait, its row lasts until the task goes on.
   * @param {ExecutionStored} event @param {number} at
   */
  #status(event, at) {
    const { body } = event;
    const held = body.on_hold ? textOf(body.on_hold) : undefined;
    if (held !== undefined) this.#goOn(at);
    const row = this.#note(event, at, {
      type: body.event_type === 'error' ? 'error' : 'status',
      label: firstLine(plain(body.text)),
      detail: body,
      ...(held !== undefined && { waits: true, endMs: undefined }),
    });
    if (held === undefined) return;
    this.held = held;
    this.open.set('held', row);
  }

  /** @param {number} at */
  #goOn(at) {
    this.held = undefined;
    const row = this.open.get('held');
    if (!row) return;
    this.open.delete('held');
    row.endMs = Math.max(at, row.startMs);
    row.version += 1;
  }

  /** @param {ExecutionStored} event @param {number} at @param {number | undefined} iteration */
  #enterIteration(event, at, iteration) {
    if (iteration === undefined || !Number.isSafeInteger(iteration) || iteration <= this.iteration) return;
    this.iteration = iteration;
    this.#push({ key: `i${event.id}`, type: 'iteration', label: `Iteration ${iteration}`, iteration }, at);
  }

  /** @param {ExecutionStored} event @param {number} at */
  #call(event, at) {
    const { body } = event;
    const id = body.call_id;
    const known = id === undefined ? undefined : this.calls.get(id);
    if (body.phase === 'started') {
      const row = this.#push({ ...callRow(event), endMs: undefined }, at);
      this.#count(row);
      if (id !== undefined) this.calls.set(id, row);
      return;
    }
    const startMs = at - number(body.duration_ms);
    const row = known ?? this.#push(callRow(event), Math.max(startMs, this.firstMs ?? startMs));
    if (!known) this.#count(row);
    if (id !== undefined) this.calls.delete(id);
    const failed = body.success === false || /^ERR\b/.test(body.result_summary ?? '');
    if (failed && !row.isDraft) this.failures += 1;
    // A draft that no check saw has not failed.
    row.success =
      failed && row.isDraft && !/checks? pass/.test(body.result_summary ?? '') ? undefined : !failed;
    row.detail = { ...row.detail, ...withoutEmpty(body) };
    row.result = resultText(row);
    this.#end(row, at, body.duration_ms);
  }

  /** @param {Row} row */
  #count({ isDraft }) {
    if (isDraft) this.drafts += 1;
    else this.toolCalls += 1;
  }

  /**
   * A call of the model: one row from its beginning to its end, with its parts. That of a draft is a part of its row.
   * @param {ExecutionStored} event @param {number} at @param {Call} call
   */
  #modelCall(event, at, call) {
    const { body } = event;
    const { phase, kind } = call;
    const key = `model ${call.id}`;
    const isOther = body.model !== this.asked;
    this.asked = body.model;
    const draft =
      phase === 'started' && kind === 'answer'
        ? [...this.calls.values()].find((row) => row.isDraft && row.askedMs === undefined)
        : this.open.get(key);
    if (draft?.isDraft) {
      draft.askedMs ??= at;
      draft.detail = { ...draft.detail, model_call: call };
      draft.version += 1;
      this.#touch(at);
      if (phase === 'started') this.open.set(key, draft);
      else {
        draft.answeredMs = at;
        this.open.delete(key);
      }
      return;
    }
    if (phase === 'started') {
      this.open.set(key, this.#push({ ...modelRow(event, isOther), endMs: undefined }, at));
      return;
    }
    const tookMs = Math.max(0, number(body.duration_ms));
    const row =
      this.open.get(key) ?? this.#push(modelRow(event, isOther), Math.max(at - tookMs, this.firstMs ?? 0));
    this.open.delete(key);
    row.success = body.success !== false;
    row.detail = { ...row.detail, ...withoutEmpty(body) };
    row.result = modelResult(row.detail);
    this.#end(row, at, body.duration_ms);
  }

  /** A check: one row from its beginning to its end. @param {ExecutionStored} event @param {number} at */
  #check(event, at) {
    const { body } = event;
    if (isRecord(body.report)) this.report = body.report;
    const label = firstLine(plain(body.text));
    const begun = [...this.open].find(([, row]) => row.type === 'check' && label.startsWith(row.label));
    if (begun && body.phase === 'finished') {
      const [key, row] = begun;
      this.open.delete(key);
      Object.assign(row, { label, detail: body, success: body.success });
      this.#end(row, at, body.duration_ms);
      return;
    }
    const isOpen = body.phase === 'started';
    /** @type {RowFacts} */
    const facts = { type: 'check', label, detail: body, success: body.success };
    const row = this.#note(event, at, { ...facts, ...(isOpen && { endMs: undefined }) });
    if (isOpen) this.open.set(row.key, row);
  }

  /**
   * The checks on the base are told at their end only; that they fail is no failure.
   * @param {ExecutionStored} event @param {number} at
   */
  #baseChecks(event, at) {
    const { body } = event;
    const startMs = Math.max(at - Math.max(0, number(body.duration_ms)), this.firstMs ?? 0);
    /** @type {RowFacts} */
    const facts = { type: 'check', label: firstLine(plain(body.text)), detail: body };
    const begun = this.rows.findLast(({ label }) => label === 'Running the checks on the base');
    const row = begun ? Object.assign(begun, facts, { startMs }) : this.#note(event, startMs, facts);
    this.#end(row, at, body.duration_ms);
  }

  /**
   * What the model writes belongs to its call that is open, else it has a row of its own.
   * @param {ExecutionStored} event @param {number} at
   */
  #written(event, at) {
    const id = event.body.model_call?.id;
    const call =
      id === undefined
        ? [...this.open.values()].findLast(({ type, isDraft }) => type === 'model' || isDraft)
        : this.open.get(`model ${id}`);
    // A late piece of a call that has ended is in its text already.
    if (!call && id !== undefined) return;
    if (!call) {
      this.#stream(event, at, 'text', 'Model');
      return;
    }
    call.textMs ??= at;
    call.text = ((call.text ?? '') + (event.body.text ?? '')).slice(-maxText);
    call.result = lastLine(call.text);
    call.version += 1;
    this.#touch(at);
  }

  /**
   * Token text joins the row before it.
   * @param {ExecutionStored} event @param {number} at @param {'text' | 'output'} type @param {string} label
   */
  #stream(event, at, type, label) {
    const last = this.rows.at(-1);
    const row = last?.type === type ? last : this.#push({ key: `e${event.id}`, type, label, text: '' }, at);
    row.text = ((row.text ?? '') + (event.body.text ?? '')).slice(-maxText);
    row.label = lastLine(row.text) || label;
    row.detail = { text: row.text };
    row.endMs = at;
    row.version += 1;
    this.#touch(at);
  }

  /**
   * Output belongs to the call that is running, else it has a row of its own.
   * @param {ExecutionStored} event @param {number} at
   */
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

  /** @param {TaskStored} event */
  #state(event) {
    const { body } = event;
    if (body.reason === 'assigned') this.#beginAttempt(body);
    /** @type {Record<string, string>} */
    const names = {
      submitted: 'Submitted',
      assigned: `Assigned to ${body.worker_id}`,
      accepted: `Accepted by ${body.worker_id}`,
      completed: body.status === 'success' ? 'Completed' : `Ended: ${statusName(body)}`,
      retry: `Back in the queue: ${firstLine(plain(body.error) || 'tried again')}`,
      dead_letter: `Given up: ${firstLine(plain(body.error))}`,
      cancelled: 'Cancelled',
      ...Object.fromEntries(takenBack.map((reason) => [reason, `Taken back: ${attemptEndingText(reason)}`])),
      follow_up_created: `Follow-up made: ${body.follow_up_task_id}`,
    };
    // Costs are told by the figures, a hold by the worker's own event.
    if (body.reason === 'figures' || body.reason === 'hold') return;
    if (stops.has(body.reason)) this.#endCalls(this.lastMs);
    const label = names[body.reason] ?? plain(body.reason);
    const begun = this.rows.at(-1);
    if (begun?.begins && (body.reason === 'assigned' || body.reason === 'accepted')) {
      begun.detail = { text: `${begun.detail?.text}\n${label}` };
      begun.label = label;
      begun.version += 1;
      return;
    }
    const begins = body.reason === 'submitted' || body.reason === 'assigned';
    const bad = body.reason === 'dead_letter' || body.reason === 'retry';
    this.#note(event, this.lastMs || event.at, {
      type: 'state',
      label,
      begins,
      detail: begins ? { text: label } : body.error ? { text: body.error } : undefined,
      success: bad ? false : undefined,
    });
  }

  /**
   * Rounds are those of the attempt that runs, tokens and cost those of all.
   * @param {TaskStored['body']} body
   */
  #beginAttempt({ tokens_in: tokensIn, tokens_out: tokensOut, estimated_cost_usd: cost }) {
    this.held = undefined;
    this.attempts += 1;
    this.attemptFrom = this.rows.length;
    this.iteration = 0;
    this.tokensBefore = number(tokensIn) + number(tokensOut);
    this.costBefore = number(cost);
    this.tokens = this.tokensBefore;
    this.costUsd = isNumber(cost) ? cost : undefined;
  }

  /** @param {ApprovalStored} event */
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

  /** Calls of a run that was taken away have no end of their own. @param {number} at */
  #endCalls(at) {
    for (const row of [...this.calls.values(), ...this.open.values()]) {
      row.success = false;
      this.#end(row, at);
    }
    this.calls.clear();
    this.open.clear();
  }

  /** @param {Row} row @param {number} at @param {number} [durationMs] */
  #end(row, at, durationMs) {
    row.endMs = Math.max(at, row.startMs);
    row.durationMs = durationMs ?? row.endMs - row.startMs;
    row.version += 1;
    this.#touch(row.endMs);
  }

  /** @param {HubEvent} event @param {number} at @param {RowFacts} row */
  #note(event, at, row) {
    return this.#push(
      {
        key: `e${event.id}`,
        ...(event.kind === 'execution' && { iteration: event.body.iteration }),
        ...row,
      },
      at,
    );
  }

  /** @param {RowFacts & { key: string }} row @param {number} startMs */
  #push(row, startMs) {
    /** @type {Row} */
    const whole = { startMs, endMs: startMs, version: 0, ...row };
    if (byWorker(row)) {
      this.firstMs ??= startMs;
      this.#touch(startMs);
    }
    this.rows.push(whole);
    return whole;
  }

  /** @param {number} at */
  #touch(at) {
    this.lastMs = Math.max(this.lastMs, at);
  }
}

/** After these no worker goes on with what it did for the task. */
const takenBack = ['worker_lost', 'not_accepted', 'lease_expired'];
const stops = new Set([...takenBack, 'retry', 'cancelled', 'dead_letter']);

/**
 * Steering, approvals and changes of state have the hub's time, which the axis does not show.
 * @param {RowFacts} row
 */
const byWorker = ({ type }) => type !== 'state' && type !== 'steer' && type !== 'approval';
