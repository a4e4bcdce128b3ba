/** The attempts at a task as groups of its timeline. */
import { expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';
import { execution, load } from './page-modules.ts';

const state = (id: number, reason: string, body: Json = {}) => ({
  id,
  at: 1_000 + id,
  kind: 'task',
  generation: 1,
  task_id: 't',
  body: { reason, ...body },
});
const status = (id: number) => execution(id, { event_type: 'status', text: `step ${id}` });

async function timelineOf(events: Json[]) {
  const { Timeline } = await load('timeline-model.js');
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);
  return timeline;
}

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
  timeline.attempts.know([{ ...known, tokens_in: 1_100, tokens_out: 100 }]);
  const heads = () => timeline.rows.filter(({ type }: Json) => type === 'attempt');
  expect(heads()).toMatchObject([
    {
      label: 'Attempt 1',
      args: 'w1 · qwen',
      result: 'Taken back: the worker went silent · 1.2k tokens',
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
