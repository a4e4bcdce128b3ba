/** The figures that run along with a task's events. */
import { expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';
import { execution, load } from './page-modules.ts';

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
