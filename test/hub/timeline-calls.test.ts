/** Calls of tools and of the model on a timeline. */
import { expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';
import { execution, load } from './page-modules.ts';

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
  expect(timeline.figures).toMatchObject({ drafts: 3, toolCalls: 0, failures: 0, iteration: 3 });
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

test('ends the calls of a run that was taken away', async () => {
  const { Timeline } = await load('timeline-model.js');
  const timeline = new Timeline();
  timeline.add(execution(1, { event_type: 'tool_call', phase: 'started', call_id: 'a', tool_name: 'grep' }));
  timeline.add({ id: 2, at: 2_000, kind: 'task', body: { reason: 'worker_lost', status: 'queued' } });
  expect(timeline.rows[0]).toMatchObject({ success: false, endMs: 1_001 });
  expect(timeline.calls.tools.size).toBe(0);
});
