import { describe, expect, test } from '@jest/globals';
import type { Task } from '../../sidecar/protocol/task.ts';
import { connect, linkedWorker, type LinkedWorker } from '../support/linked-worker.ts';
import { randomFrom } from '../support/random.ts';
import { scaled } from '../support/scale.ts';

/** Works like the worker does: a task again under a higher generation goes on, an aborted one stops. */
function workerOf(worker: () => LinkedWorker, random: () => number) {
  const running = new Map<string, number>();
  const worked = new Map<string, number>();
  return {
    worked,
    onAssign(task: Task) {
      const { clock, link } = worker();
      const { task_id: id, generation } = task;
      link.accept(id);
      if (running.has(id)) {
        running.set(id, generation);
        return;
      }
      running.set(id, generation);
      worked.set(id, (worked.get(id) ?? 0) + 1);
      link.progress(id, { event_type: 'status', text: 'begins', seq: 1 });
      clock.schedule(1_000 + random() * 20_000, () => {
        const current = running.get(id);
        if (current === undefined) return;
        running.delete(id);
        link.progress(id, { event_type: 'tool_call', text: 'ends', seq: 2 });
        worker().complete(id, current);
      });
    },
    onAbort: (id: string) => void running.delete(id),
    onReassign: (id: string) => void running.delete(id),
  };
}

describe('in a storm of losses, restarts and dropped frames', () => {
  let worker: LinkedWorker;

  const seeds = Array.from({ length: scaled({ quick: 8, full: 60 }) }, (_, index) => index + 1);
  test.each(seeds)('every task is completed once and no result is lost (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    const work = workerOf(() => worker, random);
    worker = await linkedWorker(work);
    const { hub, outbox } = worker;
    await connect(worker);
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const id of ids) {
      hub.submit(id);
      const trouble = Math.floor(random() * 8);
      if (trouble === 0) hub.dropConnections();
      if (trouble === 1) {
        await hub.kill();
        await worker.advance(random() * 10_000);
        await hub.listen();
      }
      if (trouble === 2) hub.lose.add('task_complete');
      if (trouble === 3) hub.lose.add('task_accepted');
      if (trouble === 4) hub.closeConnections(1011, 'crash');
      if (trouble === 5) hub.drainBucket('worker-1', 3);
      await worker.advance(Math.ceil(random() * 15_000));
      hub.lose.clear();
    }
    for (
      let minute = 0;
      minute < 15 && [...hub.tasks.values()].some(({ status }) => status !== 'completed');
      minute += 1
    ) {
      await worker.advance(60_000);
    }
    await worker.advance(35_000);
    expect([...hub.tasks.values()].filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(outbox.size).toBe(0);
    expect(Object.fromEntries(work.worked)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  });
});
