import { describe, expect, test } from '@jest/globals';
import { eventTypes } from '../../sidecar/base/protocol/events.ts';
import * as fc from '../support/properties.ts';
import type { Json } from './hub-fixture.ts';
import { execution, load } from './page-modules.ts';

async function timelineOf(events: Json[] = []) {
  const { Timeline } = await load('timeline-model.js');
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);
  return timeline;
}
/** Of what its worker tells alone. */
const workerTimeline = (bodies: Json[]) =>
  timelineOf(bodies.map((body, index) => execution(index + 1, body)));
const timeShares = async (...args: Json[]) => (await load('time-shares.js')).computeTimeShares(...args);

/** Calls of tools and of the model on a timeline. */
test('counts drafts by themselves; one that nobody needs any more has not failed', async () => {
  const timeline = await timelineOf();
  const draft = (id: number, more: Json) =>
    timeline.add(
      execution(id, {
        event_type: 'tool_call',
        tool_name: 'draft',
        call_id: `draft-${id}`,
        phase: 'finished',
        args_summary: `${id} of at most 4, temperature 0`,
        iteration: id,
        success: false,
        ...more,
      }),
    );
  draft(1, { result_summary: '+1 −1 in a.js; 0 of 1 checks pass' });
  draft(2, { success: true });
  draft(3, { draft: { number: 3, not_needed: true } });
  draft(4, { success: undefined, result_summary: 'no change; not checked: model_error' });
  expect(timeline.figures).toMatchObject({ drafts: 4, toolCalls: 0, failures: 0, iteration: 4 });
  expect(timeline.rows).toMatchObject([
    { label: 'Draft 1', args: '', success: false, result: '0 of 1 checks pass · +1 −1 in a.js' },
    { label: 'Draft 2', success: true },
    { label: 'Draft 3', success: undefined },
    { label: 'Draft 4', success: undefined },
  ]);
});

test('joins a call’s start and end, counts iterations, tokens and failures', async () => {
  const timeline = await timelineOf();
  const call = {
    event_type: 'tool_call',
    call_id: 'a',
    tool_name: 'grep',
    iteration: 1,
    args_summary: '{"pattern":"x","path":"src"}',
  };
  timeline.add(execution(1, { ...call, phase: 'started', timestamp: 500 }));
  timeline.add(execution(2, { event_type: 'stdout', text: 'line\n', timestamp: 600 }));
  timeline.add(
    execution(3, {
      ...call,
      phase: 'finished',
      timestamp: 900,
      duration_ms: 400,
      success: false,
      result_summary: 'ERR: no',
      tokens_so_far: 70,
    }),
  );
  expect(timeline.figures).toMatchObject({ iteration: 1, tokens: 70, toolCalls: 1, failures: 1 });
  expect(timeline).toMatchObject({ firstMs: 500, lastMs: 900 });
  expect(timeline.rows).toMatchObject([
    { type: 'iteration', label: 'Iteration 1' },
    {
      type: 'call',
      label: 'grep',
      args: 'x path=src',
      startMs: 500,
      endMs: 900,
      success: false,
      output: 'line\n',
    },
  ]);
});

test('says in a row that the call was repaired', async () => {
  const timeline = await timelineOf();
  const call = { event_type: 'tool_call', phase: 'finished', tool_name: 'grep', success: true };
  timeline.add(execution(1, { ...call, call_id: 'a', repaired: true, result_summary: 'OK: 3 lines' }));
  timeline.add(execution(2, { ...call, call_id: 'b', repaired: true }));
  timeline.add(execution(3, { ...call, call_id: 'c', result_summary: 'OK: 3 lines' }));
  expect(timeline.rows.map(({ result }: Json) => result)).toEqual([
    'repaired · OK: 3 lines',
    'repaired · OK',
    'OK: 3 lines',
  ]);
});

test('joins token text into one row and shows its last line', async () => {
  const timeline = await timelineOf();
  for (const text of ['I will ', 'look.\n', 'Then edit'])
    timeline.add(execution(1, { event_type: 'token', text }));
  expect(timeline.rows).toMatchObject([
    { type: 'text', text: 'I will look.\nThen edit', label: 'Then edit' },
  ]);
});

test('gives what is written to the call that it names, and late pieces to none', async () => {
  const timeline = await timelineOf();
  const call = (name: string, phase: string) => ({ id: name, phase, kind: 'answer' });
  const add = (id: number, text: string, named: Json, type = 'status') =>
    timeline.add(execution(id, { event_type: type, text, model_call: named }));
  add(1, 'asked', call('one', 'started'));
  add(2, 'asked', call('two', 'started'));
  add(3, 'first', call('one', 'writing'), 'token');
  add(4, 'second', call('two', 'writing'), 'token');
  add(5, 'answered', call('one', 'finished'));
  add(6, 'late', call('one', 'writing'), 'token');
  expect(timeline.rows.map(({ text }: Json) => text)).toEqual(['first', 'second']);
});

test('ends the calls of a run that was taken away', async () => {
  const timeline = await timelineOf();
  timeline.add(execution(1, { event_type: 'tool_call', phase: 'started', call_id: 'a', tool_name: 'grep' }));
  timeline.add({ id: 2, at: 2_000, kind: 'task', body: { reason: 'worker_lost', status: 'queued' } });
  expect(timeline.rows[0]).toMatchObject({ success: false, endMs: 1_001 });
  expect(timeline.calls.tools.size).toBe(0);
});

/** The attempts at a task as groups of its timeline. */
const state = (id: number, reason: string, body: Json = {}) => ({
  id,
  at: 1_000 + id,
  kind: 'task',
  generation: 1,
  task_id: 't',
  body: { reason, ...body },
});
const status = (id: number) => execution(id, { event_type: 'status', text: `step ${id}` });

test('one attempt has no head of its own', async () => {
  const timeline = await timelineOf([
    state(1, 'submitted'),
    state(2, 'assigned', { worker_id: 'w1', generation: 1 }),
    state(3, 'accepted', { worker_id: 'w1', generation: 1 }),
    status(4),
  ]);
  expect(timeline.rows.map(({ type, label }: Json) => [type, label])).toEqual([
    ['state', 'Accepted by w1'],
    ['status', 'step 4'],
  ]);
});

test('each of several has one, with why it ended in words and the figures of the task', async () => {
  const timeline = await timelineOf([
    state(1, 'submitted'),
    state(2, 'assigned', { worker_id: 'w1', generation: 1 }),
    state(3, 'accepted', { worker_id: 'w1', generation: 1 }),
    status(4),
    state(5, 'lease_expired'),
    state(6, 'assigned', { worker_id: 'w2', generation: 3 }),
    state(7, 'accepted', { worker_id: 'w2', generation: 3 }),
    status(8),
  ]);
  const known = { generation: 1, worker_id: 'w1', model: 'qwen', started_at: 1_000, ended_at: 4_000 };
  timeline.attempts.setKnown([{ ...known, tokens_in: 1_100, tokens_out: 100 }]);
  const heads = () => timeline.rows.filter(({ type }: Json) => type === 'attempt');
  expect(heads()).toMatchObject([
    {
      label: 'Attempt 1',
      args: 'w1 · qwen',
      result: 'Requeued: the worker sent no heartbeat · 1.2k tokens',
      success: false,
      durationMs: 3_000,
    },
    { label: 'Attempt 2', args: 'w2', result: 'runs' },
  ]);
  expect(timeline.rows.indexOf(heads()[1])).toBe(timeline.attempts.from);
  const ended = { status: 'partial', termination_reason: 'stall' };
  timeline.add(state(9, 'completed', ended));
  expect(heads()[1]).toMatchObject({
    result: 'Ended: Partial, the model made no progress',
    success: undefined,
  });
});

/** The figures that run along with a task's events. */
test('tokens and cost run along over all attempts, rounds begin anew with each', async () => {
  const timeline = await timelineOf();
  const used = (id: number, tokens: number, cost: number, iteration: number) =>
    timeline.add(
      execution(id, {
        event_type: 'status',
        text: 'x',
        tokens_so_far: tokens,
        cost_usd_so_far: cost,
        iteration,
      }),
    );
  used(1, 100, 0.1, 1);
  used(2, 250, 0.2, 2);
  used(3, 240, 0.2, 2);
  expect(timeline.figures).toMatchObject({ tokens: 250, costUsd: 0.2, iteration: 2 });
  const figures = { tokens_in: 200, tokens_out: 50, estimated_cost_usd: 0.2 };
  timeline.add({
    id: 4,
    at: 2_000,
    kind: 'task',
    body: { reason: 'assigned', worker_id: 'w', ...figures },
  });
  used(5, 30, 0.01, 1);
  expect(timeline.figures).toMatchObject({ tokens: 280, costUsd: expect.closeTo(0.21, 9), iteration: 1 });
  const sums = { tokens_in: 200, tokens_out: 60, cost_usd: 0.22 };
  timeline.add(
    execution(6, {
      event_type: 'status',
      text: 'goes on',
      used: sums,
      tokens_so_far: 260,
      cost_usd_so_far: 0.22,
    }),
  );
  expect(timeline.figures).toMatchObject({ tokens: 260, costUsd: 0.22 });
  used(7, 300, 0.3, 2);
  expect(timeline.figures).toMatchObject({ tokens: 300, costUsd: 0.3 });
  expect(timeline.rows.filter(({ type }: Json) => type === 'iteration')).toHaveLength(4);
});

/** How the dashboard turns events into a timeline. */
test('takes any events without a throw, and every row has a place in time', async () => {
  const { Timeline } = await load('timeline-model.js');
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant(undefined), fc.boolean());
  const body = fc.record(
    {
      event_type: fc.constantFrom(...eventTypes, 'odd'),
      text: fc.string(),
      phase: fc.constantFrom('started', 'finished', 'odd'),
      call_id: fc.constantFrom('a', 'b'),
      tool_name: fc.string(),
      args_summary: fc.oneof(fc.json(), fc.string()),
      result_summary: fc.string(),
      repaired: value,
      iteration: fc.oneof(fc.integer({ min: -1, max: 5 }), value),
      timestamp: fc.oneof(fc.nat(), value),
      duration_ms: fc.oneof(fc.nat(), value),
      tokens_so_far: value,
      cost_usd_so_far: value,
    },
    { requiredKeys: ['event_type'] },
  );
  fc.assert(
    fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
      const timeline = new Timeline();
      bodies.forEach((one, index) => timeline.add(execution(index + 1, one)));
      for (const row of timeline.rows) {
        expect(Number.isFinite(row.startMs)).toBe(true);
        expect(row.endMs === undefined || Number.isFinite(row.endMs)).toBe(true);
        expect(typeof row.label).toBe('string');
      }
      expect(new Set(timeline.rows.map((row: Json) => row.key)).size).toBe(timeline.rows.length);
    }),
    { numRuns: 200 },
  );
});

/** Where a task's time went: the pure parts of the page. */
const answer = { event_type: 'status', model: 'qwen', text: 'qwen' };
const asked = { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } };
const parts = {
  id: 'm1',
  phase: 'finished',
  kind: 'answer',
  wait_ms: 100,
  load_ms: 200,
  read_ms: 300,
  write_ms: 400,
  tokens_in: 1200,
  tokens_cached: 900,
  tokens_out: 20,
};

describe('a call of the model', () => {
  test('is one row from its beginning to its end, with its figures', async () => {
    const timeline = await workerTimeline([
      asked,
      {
        ...answer,
        phase: 'finished',
        timestamp: 2_000,
        duration_ms: 1_000,
        success: true,
        model_call: parts,
      },
    ]);
    expect(timeline.rows).toMatchObject([
      {
        type: 'model',
        label: 'Model',
        args: 'qwen',
        startMs: 1_000,
        endMs: 2_000,
        durationMs: 1_000,
        success: true,
        result: '1.2k tokens read (75 % cached, 1k/s) · 20 written (50/s)',
      },
    ]);
    const { phasesOf: partsOf } = await load('call-row.js');
    const [row] = timeline.rows;
    expect(partsOf(row.detail.model_call).reduce((sum: number, { ms }: Json) => sum + ms, 0)).toBe(
      row.durationMs,
    );
  });

  test('takes what is written while it is open', async () => {
    const timeline = await workerTimeline([
      asked,
      { event_type: 'token', text: 'function sum() {\n', timestamp: 1_100 },
      { event_type: 'token', text: '  return a', timestamp: 1_200 },
    ]);
    expect(timeline.rows).toMatchObject([
      { type: 'model', endMs: undefined, text: 'function sum() {\n  return a', result: 'return a' },
    ]);
  });

  test.each([null, [], 'x', 7, { wait_ms: 'x', read_ms: -1, write_ms: Infinity }])(
    'that is no such thing (%j) breaks nothing',
    async (model_call) => {
      const timeline = await workerTimeline([{ ...answer, timestamp: 1_000, model_call }]);
      expect(timeline.rows).toHaveLength(1);
      expect(await timeShares(timeline.rows, 1_000, { wholeMs: 10 })).toEqual([{ kind: 'other', ms: 10 }]);
    },
  );
});

test('a draft and its call are one row, whose time is that of both', async () => {
  const draft = { event_type: 'tool_call', tool_name: 'draft', call_id: 'draft-1' };
  const timeline = await workerTimeline([
    { ...draft, phase: 'started', timestamp: 1_000 },
    asked,
    { event_type: 'token', text: 'return a', timestamp: 1_200 },
    { ...answer, timestamp: 2_000, duration_ms: 1_000, success: true, model_call: parts },
    { ...draft, phase: 'finished', timestamp: 2_500, duration_ms: 1_500, success: false },
  ]);
  expect(timeline.rows).toMatchObject([
    { isDraft: true, text: 'return a', durationMs: 1_500, success: undefined, detail: { model_call: parts } },
  ]);
  expect(await timeShares(timeline.rows, 2_500, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 100 },
    { kind: 'load', ms: 200 },
    { kind: 'read', ms: 300 },
    { kind: 'write', ms: 400 },
    { kind: 'draft', ms: 500 },
  ]);
});

test('the checks on the base have the time that they took', async () => {
  const timeline = await workerTimeline([
    { event_type: 'status', text: 'Running the checks on the base', timestamp: 1_000 },
    {
      event_type: 'status',
      text: 'Before the task: 0 of 1 checks pass',
      timestamp: 3_000,
      duration_ms: 1_500,
      checks: { total: 1, passed: 0 },
    },
  ]);
  expect(timeline.rows).toMatchObject([{ type: 'check', startMs: 1_500, endMs: 3_000, durationMs: 1_500 }]);
  expect(await timeShares(timeline.rows, 3_000, { wholeMs: 2_000 })).toEqual([
    { kind: 'check', ms: 1_500 },
    { kind: 'other', ms: 500 },
  ]);
});

describe('the shares of a task’s time', () => {
  test('of a call that is open: it writes from its first text on', async () => {
    const started = (id: string, kind: string) => ({ id, phase: 'started', kind });
    const timeline = await workerTimeline([
      { ...answer, timestamp: 1_000, model_call: started('m1', 'answer') },
      {
        event_type: 'token',
        text: 'function',
        timestamp: 1_400,
        model_call: { id: 'm1', phase: 'writing', kind: 'answer' },
      },
    ]);
    expect(await timeShares(timeline.rows, 2_000, { wholeMs: 1_000 })).toEqual([
      { kind: 'wait', ms: 400 },
      { kind: 'write', ms: 600 },
    ]);
    const loading = await workerTimeline([
      { ...answer, timestamp: 1_000, model_call: started('m1', 'load') },
    ]);
    expect(await timeShares(loading.rows, 1_500, { wholeMs: 500 })).toEqual([{ kind: 'load', ms: 500 }]);
  });

  test('add up to the whole, also where calls overlap', async () => {
    const rows = [
      { type: 'model', startMs: 0, endMs: 1_000, detail: { model_call: parts } },
      { type: 'call', isDraft: true, startMs: 0, endMs: 1_500 },
      { type: 'call', label: 'run_command', startMs: 1_400, endMs: undefined },
      { type: 'check', startMs: 1_600, endMs: 1_700 },
      { type: 'status', startMs: 1_800, endMs: 1_800 },
    ];
    expect(await timeShares(rows, 2_000, { wholeMs: 2_500, queueMs: 50 })).toEqual([
      { kind: 'queue', ms: 50 },
      { kind: 'wait', ms: 100 },
      { kind: 'load', ms: 200 },
      { kind: 'read', ms: 300 },
      { kind: 'write', ms: 400 },
      { kind: 'tool', ms: 500 },
      { kind: 'check', ms: 100 },
      { kind: 'draft', ms: 400 },
      { kind: 'other', ms: 500 },
    ]);
  });
});

test('a task that is held waits until it goes on', async () => {
  const status = (text: string, timestamp: number) => ({
    event_type: 'status',
    text,
    timestamp,
    on_hold: /^On hold: (.*)/u.exec(text)?.[1] ?? '',
  });
  const timeline = await workerTimeline([
    status('On hold: waiting for the model server (no Ollama)', 1_000),
    status('On hold: waiting for another model server (still none)', 2_000),
    status('The model server answers again after 3 s. The task continues', 4_000),
  ]);
  expect(await timeShares(timeline.rows.slice(0, 1), 9_000, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 1_000 },
    { kind: 'other', ms: 500 },
  ]);
  expect(await timeShares(timeline.rows, 9_000, { wholeMs: 3_000 })).toEqual([{ kind: 'wait', ms: 3_000 }]);
});

test('holds that follow one another are one row, with their number and what to do', async () => {
  const held = (gib: number) => `waiting for the model server (model_out_of_memory: ${gib} GiB available)`;
  const hold = (gib: number) => ({ event_type: 'status', text: `On hold: ${held(gib)}`, on_hold: held(gib) });
  const goesOn = { event_type: 'status', text: 'The model server answers again after 8 s', on_hold: '' };
  const timeline = await workerTimeline([hold(14.8), goesOn, hold(14.2), goesOn, hold(13.9)]);
  expect(timeline.rows).toHaveLength(1);
  expect(timeline.rows[0]).toMatchObject({
    label: expect.stringMatching(/^On hold 3 times: the server has too little memory for the model/u),
    result: expect.stringMatching(/^What to do: .*smaller model/u),
    endMs: undefined,
  });
  const interrupted = await workerTimeline([hold(14), goesOn, { event_type: 'stdout', text: 'x' }, hold(14)]);
  expect(interrupted.rows.map(({ label }: Json) => label)).toHaveLength(3);
});

test('attempts that did nothing and ended the same way are one', async () => {
  const state = (id: number, reason: string, more: Json = {}) => ({
    id,
    at: id,
    kind: 'task',
    task_id: 't',
    generation: 1,
    body: { reason, worker_id: 'w', status: 'queued', generation: Math.ceil(id / 2), ...more },
  });
  const rounds = [1, 2, 3].flatMap((round) => [
    state(round * 2, 'assigned', { generation: round }),
    state(round * 2 + 1, 'retry', { error: 'worker_model_away: no Ollama answers' }),
  ]);
  const timeline = await timelineOf(rounds);
  expect(timeline.rows.map(({ label }: Json) => label)).toEqual([
    'Attempts 1–3',
    'Requeued for another attempt: worker_model_away: no Ollama answers (3 times)',
  ]);
});

test('a load that was announced has one row', async () => {
  const load = (phase: string, more: Json = {}) => ({
    event_type: 'status',
    text: 'Loading m:7b',
    model: 'm:7b',
    model_call: { id: 'l', phase, kind: 'load', load_ms: 2_000 },
    ...more,
  });
  const timeline = await workerTimeline([
    { event_type: 'status', text: 'Loading m:7b with a window of 32768 tokens', droppable: true },
    load('started'),
    load('finished', { success: true, duration_ms: 2_000 }),
  ]);
  expect(timeline.rows).toMatchObject([
    { type: 'model', label: 'Load the model', args: 'm:7b with a window of 32768 tokens', result: 'ready' },
  ]);
});

test('the row of a file tool names its path first, also where its arguments were cut', async () => {
  const { createCallRow: callRow } = await load('call-row.js');
  const args = (summary: string) => callRow({ id: 1, body: { args_summary: summary } }).args;
  expect(args('{"new_string":"b","file_path":"src/a.ts"}')).toBe('src/a.ts new_string=b');
  expect(args('{"file_path":"src/a.ts","content":"line 1\\nli…')).toBe('src/a.ts "content":"line 1\\nli…');
  expect(args('1 of at most 4')).toBe('1 of at most 4');
});
