/** Where a task's time went: the pure parts of the page. */
import { describe, expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';
import { load } from './page-modules.ts';

const answer = {
  event_type: 'status',
  model: 'qwen',
  text: 'qwen',
};
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

async function timelineOf(bodies: Json[]) {
  const { Timeline } = await load('timeline-model.js');
  const timeline = new Timeline();
  bodies.forEach((body, index) => timeline.add({ id: index + 1, at: 0, kind: 'execution', body }));
  return timeline;
}

describe('a call of the model', () => {
  test('is one row from its beginning to its end, with its figures', async () => {
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
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
    const { partsOf } = await load('call-row.js');
    const [row] = timeline.rows;
    expect(partsOf(row.detail.model_call).reduce((sum: number, { ms }: Json) => sum + ms, 0)).toBe(
      row.durationMs,
    );
  });

  test('takes what is written while it is open', async () => {
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
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
      const timeline = await timelineOf([{ ...answer, timestamp: 1_000, model_call }]);
      expect(timeline.rows).toHaveLength(1);
      const { timeShares } = await load('time-shares.js');
      expect(timeShares(timeline.rows, 1_000, { wholeMs: 10 })).toEqual([{ kind: 'other', ms: 10 }]);
    },
  );
});

test('a draft and its call are one row, whose time is that of both', async () => {
  const draft = { event_type: 'tool_call', tool_name: 'draft', call_id: 'draft-1' };
  const timeline = await timelineOf([
    { ...draft, phase: 'started', timestamp: 1_000 },
    { ...answer, timestamp: 1_000, model_call: { id: 'm1', phase: 'started', kind: 'answer' } },
    { event_type: 'token', text: 'return a', timestamp: 1_200 },
    { ...answer, timestamp: 2_000, duration_ms: 1_000, success: true, model_call: parts },
    { ...draft, phase: 'finished', timestamp: 2_500, duration_ms: 1_500, success: false },
  ]);
  expect(timeline.rows).toMatchObject([
    { isDraft: true, text: 'return a', durationMs: 1_500, success: undefined, detail: { model_call: parts } },
  ]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows, 2_500, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 100 },
    { kind: 'load', ms: 200 },
    { kind: 'read', ms: 300 },
    { kind: 'write', ms: 400 },
    { kind: 'draft', ms: 500 },
  ]);
});

test('the checks on the base have the time that they took', async () => {
  const timeline = await timelineOf([
    { event_type: 'status', text: 'Running the checks on the base', timestamp: 1_000 },
    {
      event_type: 'status',
      text: 'On the base: 0 of 1 checks pass',
      timestamp: 3_000,
      duration_ms: 1_500,
      checks: { total: 1, passed: 0 },
    },
  ]);
  expect(timeline.rows).toMatchObject([{ type: 'check', startMs: 1_500, endMs: 3_000, durationMs: 1_500 }]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows, 3_000, { wholeMs: 2_000 })).toEqual([
    { kind: 'check', ms: 1_500 },
    { kind: 'other', ms: 500 },
  ]);
});

describe('the shares of a task’s time', () => {
  test('of a call that is open: it writes from its first text on', async () => {
    const started = (id: string, kind: string) => ({ id, phase: 'started', kind });
    const timeline = await timelineOf([
      { ...answer, timestamp: 1_000, model_call: started('m1', 'answer') },
      {
        event_type: 'token',
        text: 'function',
        timestamp: 1_400,
        model_call: { id: 'm1', phase: 'writing', kind: 'answer' },
      },
    ]);
    const { timeShares } = await load('time-shares.js');
    expect(timeShares(timeline.rows, 2_000, { wholeMs: 1_000 })).toEqual([
      { kind: 'wait', ms: 400 },
      { kind: 'write', ms: 600 },
    ]);
    const loading = await timelineOf([{ ...answer, timestamp: 1_000, model_call: started('m1', 'load') }]);
    expect(timeShares(loading.rows, 1_500, { wholeMs: 500 })).toEqual([{ kind: 'load', ms: 500 }]);
  });

  test('add up to the whole, also where calls overlap', async () => {
    const { timeShares } = await load('time-shares.js');
    const rows = [
      { type: 'model', startMs: 0, endMs: 1_000, detail: { model_call: parts } },
      { type: 'call', isDraft: true, startMs: 0, endMs: 1_500 },
      { type: 'call', label: 'run_command', startMs: 1_400, endMs: undefined },
      { type: 'check', startMs: 1_600, endMs: 1_700 },
      { type: 'status', startMs: 1_800, endMs: 1_800 },
    ];
    expect(timeShares(rows, 2_000, { wholeMs: 2_500, queueMs: 50 })).toEqual([
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
  const timeline = await timelineOf([
    status('On hold: waiting for the model server (no Ollama)', 1_000),
    status('On hold: waiting for the model server (still none)', 2_000),
    status('The model server answers again after 3 s: going on', 4_000),
  ]);
  const { timeShares } = await load('time-shares.js');
  expect(timeShares(timeline.rows.slice(0, 1), 9_000, { wholeMs: 1_500 })).toEqual([
    { kind: 'wait', ms: 1_000 },
    { kind: 'other', ms: 500 },
  ]);
  expect(timeShares(timeline.rows, 9_000, { wholeMs: 3_000 })).toEqual([{ kind: 'wait', ms: 3_000 }]);
});

test('the row of a file tool names its path first, also where its arguments were cut', async () => {
  const { callRow } = await load('call-row.js');
  const args = (summary: string) => callRow({ id: 1, body: { args_summary: summary } }).args;
  expect(args('{"new_string":"b","file_path":"src/a.ts"}')).toBe('src/a.ts new_string=b');
  expect(args('{"file_path":"src/a.ts","content":"line 1\\nli…')).toBe('src/a.ts "content":"line 1\\nli…');
  expect(args('1 of at most 4')).toBe('1 of at most 4');
});
