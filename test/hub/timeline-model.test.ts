/** How the dashboard turns events into a timeline, and patches into lines: pure parts of the page. */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import type { Json } from './hub-fixture.ts';
import { eventTypes } from '../../sidecar/protocol/events.ts';

const page = new URL('../../sidecar/hub/dashboard/page/', import.meta.url);
const load = async (name: string): Promise<Json> => import(new URL(name, page).href);
const execution = (id: number, body: Json) => ({
  id,
  at: 1_000 + id,
  kind: 'execution',
  generation: 1,
  task_id: 't',
  body,
});

test('what a worker wrote is shown as text, whatever it is', async () => {
  const { textOf } = await load('lenient.js');
  const shown = ['as it is', undefined, null, 3, false, { a: [1] }].map((value) => textOf(value));
  expect(shown).toEqual(['as it is', '', '', '3', 'false', '{"a":[1]}']);
});

describe('the timeline', () => {
  test('counts drafts by themselves; one that nobody needs any more has not failed', async () => {
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
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
    expect(timeline).toMatchObject({ drafts: 3, toolCalls: 0, failures: 0, iteration: 3 });
    expect(timeline.rows).toMatchObject([
      { label: 'Draft 1', args: '', success: false, result: '0 of 1 checks pass · +1 −1 in a.js' },
      { label: 'Draft 2', success: true },
      { label: 'Draft 3', success: undefined },
    ]);
  });

  test('joins a call’s start and end, counts iterations, tokens and failures', async () => {
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
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
    expect(timeline).toMatchObject({
      iteration: 1,
      tokens: 70,
      toolCalls: 1,
      failures: 1,
      firstMs: 500,
      lastMs: 900,
    });
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
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
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
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
    for (const text of ['I will ', 'look.\n', 'Then edit'])
      timeline.add(execution(1, { event_type: 'token', text }));
    expect(timeline.rows).toMatchObject([
      { type: 'text', text: 'I will look.\nThen edit', label: 'Then edit' },
    ]);
  });

  test('gives what is written to the call that it names, and late pieces to none', async () => {
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
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

  test('tokens and cost run along over all attempts, rounds begin anew with each', async () => {
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
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
    expect(timeline).toMatchObject({ tokens: 250, costUsd: 0.2, iteration: 2 });
    const figures = { tokens_in: 200, tokens_out: 50, estimated_cost_usd: 0.2 };
    timeline.add({
      id: 4,
      at: 2_000,
      kind: 'task',
      body: { reason: 'assigned', worker_id: 'w', ...figures },
    });
    used(5, 30, 0.01, 1);
    expect(timeline).toMatchObject({ tokens: 280, costUsd: expect.closeTo(0.21, 9), iteration: 1 });
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
    expect(timeline).toMatchObject({ tokens: 260, costUsd: 0.22 });
    used(7, 300, 0.3, 2);
    expect(timeline).toMatchObject({ tokens: 300, costUsd: 0.3 });
    expect(timeline.rows.filter(({ type }: Json) => type === 'iteration')).toHaveLength(4);
  });

  test('ends the calls of a run that was taken away', async () => {
    const { Timeline } = await load('timeline-model.js');
    const timeline = new Timeline();
    timeline.add(
      execution(1, { event_type: 'tool_call', phase: 'started', call_id: 'a', tool_name: 'grep' }),
    );
    timeline.add({ id: 2, at: 2_000, kind: 'task', body: { reason: 'worker_lost', status: 'queued' } });
    expect(timeline.rows[0]).toMatchObject({ success: false, endMs: 1_001 });
    expect(timeline.calls.size).toBe(0);
  });

  test('takes any events without a throw, and every row has a place in time', async () => {
    const { Timeline } = await load('timeline-model.js');
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constant(undefined),
      fc.boolean(),
    );
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
});

test('a patch is read by file, with added, removed and unchanged lines', async () => {
  const { parsePatch } = await load('diff.js');
  const patch = [
    'diff --git a/one.ts b/one.ts',
    '--- a/one.ts',
    '+++ b/one.ts',
    '@@ -1,2 +1,2 @@',
    ' same',
    '-old',
    '--- an old comment',
    '+new',
    'diff --git "a/sp ace.ts" "b/sp ace.ts"',
    'new file mode 100644',
    '@@ -0,0 +1 @@',
    '+only',
    '',
  ].join('\n');
  expect(parsePatch(patch)).toEqual([
    {
      path: 'one.ts',
      lines: [
        { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
        { kind: 'same', text: ' same' },
        { kind: 'removed', text: '-old' },
        { kind: 'removed', text: '--- an old comment' },
        { kind: 'added', text: '+new' },
      ],
    },
    {
      path: 'sp ace.ts',
      lines: [
        { kind: 'meta', text: 'new file mode 100644' },
        { kind: 'hunk', text: '@@ -0,0 +1 @@' },
        { kind: 'added', text: '+only' },
      ],
    },
  ]);
});

test('an axis has a handful of ticks, also where a clock jumped by years', async () => {
  const { axisTicks } = await load('format.js');
  for (const spanMs of [1, 40, 12_345, 3_600_000, 40 * 86_400_000, Date.UTC(2026, 0), 9e15]) {
    for (const offsetMs of [0, 777, 9e15]) {
      const ticks = axisTicks(offsetMs, spanMs);
      expect([spanMs, ticks.length <= 7]).toEqual([spanMs, true]);
      expect(ticks.every((tick: Json) => tick.at >= 0 && tick.at <= spanMs)).toBe(true);
    }
  }
  expect(axisTicks(0, 10_000).map((tick: Json) => tick.label)).toEqual([
    '0',
    '2 s',
    '4 s',
    '6 s',
    '8 s',
    '10 s',
  ]);
});

test('figures read well', async () => {
  const { ago, bytes, clockTime, count, duration, usd } = await load('format.js');
  expect([count(950), count(1_234), count(3_400_000), count(null)]).toEqual(['950', '1.2k', '3.4M', '–']);
  expect([duration(12), duration(3_400), duration(125_000), duration(4_800_000)]).toEqual([
    '12 ms',
    '3.4 s',
    '2 m 05 s',
    '1 h 20 m',
  ]);
  expect([clockTime(12, 5), clockTime(5_000, 1_000), clockTime(7_384_000, 2_000)]).toEqual([
    '0.012 s',
    '5 s',
    '2:03:04',
  ]);
  expect([usd(0), usd(0.0021), usd(1.5)]).toEqual(['$0', '$0.0021', '$1.50']);
  expect([bytes(512), bytes(24 * 1024 ** 3)]).toEqual(['512 B', '24 GB']);
  expect([ago(0, 1_000), ago(0, 61_000), ago(0, 7_200_000)]).toEqual(['just now', '1 m ago', '2 h ago']);
});
