/** What the database keeps: ended tasks and their events by age and number, everything that is open. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../support/manual-clock.ts';
import type { TestHub } from '../hub-fixture.ts';
import { status } from './fixture.ts';
import type { StartHub } from './fixture.ts';

const DAY_MS = 86_400_000;

export function describeRetention(startHub: StartHub): void {
  /** Tasks in the order of submission; all but those in `open` are cancelled. */
  async function submitted(hub: TestHub, count: number, open: readonly number[] = []): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const id = await hub.submit({ description: `task ${index}`, idempotency_key: `key ${index}` });
      if (!open.includes(index)) await hub.call('POST', `/api/tasks/${id}/cancel`);
      ids.push(id);
    }
    return ids;
  }
  const titles = async (hub: TestHub): Promise<string[]> =>
    (await hub.get('/api/tasks')).body.tasks.map(({ title }: { title: string }) => title).toReversed();
  const events = async (hub: TestHub, id: string): Promise<number> =>
    (await hub.get(`/api/tasks/${id}/events`)).body.events?.length ?? 0;
  /** Lets rounds of cleaning up pass until `reached` or, for what must not happen, a number of them. */
  async function rounds(clock: ManualClock, reached: () => Promise<boolean> = () => Promise.resolve(false)) {
    for (let round = 0; round < 40 && !(await reached()); round += 1)
      await clock.advance(6 * 3_600_000 + 1000);
  }

  describe('retention', () => {
    test('events of a task that ended long ago are removed; the task and its result stay', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, retention: { eventDays: 1 } });
      const worker = await hub.worker();
      const old = await hub.submit();
      await worker.finish(await worker.accept());
      await worker.leave();
      const waiting = await hub.submit();
      await rounds(clock, async () => (await events(hub, old)) === 0);
      expect(await events(hub, old)).toBe(0);
      expect(await status(hub, old)).toMatchObject({ status: 'success', result: { output: 'Done.' } });
      expect(await events(hub, waiting)).toBe(1);
    });

    test('an ended task goes after its days with its events and its idempotency key; an open one stays', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, retention: { taskDays: 3, eventDays: 100 } });
      const [old = '', open = ''] = await submitted(hub, 2, [1]);
      await hub.call('POST', `/api/tasks/${open}/steer`, { text: 'carefully' });
      await clock.advance(2 * DAY_MS);
      expect(await titles(hub)).toEqual(['task 0', 'task 1']);
      await rounds(clock, async () => (await titles(hub)).length === 1);
      expect(await titles(hub)).toEqual(['task 1']);
      expect((await hub.get(`/api/tasks/${old}`)).status).toBe(404);
      expect((await status(hub, open)).steering).toHaveLength(1);
      expect(await events(hub, open)).toBe(2);
      expect(await hub.submit({ idempotency_key: 'key 0' })).not.toBe(old);
    });

    test('of too many tasks the oldest that have ended go', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, retention: { taskCount: 3 } });
      await submitted(hub, 6, [0, 2]);
      await rounds(clock, async () => (await titles(hub)).length <= 3);
      expect(await titles(hub)).toEqual(['task 0', 'task 2', 'task 5']);
    });

    test('of too many events the oldest of ended tasks go', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, retention: { eventCount: 4 } });
      // One event of each submission, one of each cancellation.
      const ids = await submitted(hub, 4, [0]);
      await rounds(clock, async () => (await events(hub, ids[1] ?? '')) === 0);
      expect(await Promise.all(ids.map((id) => events(hub, id)))).toEqual([1, 0, 1, 2]);
      expect(await titles(hub)).toHaveLength(4);
    });

    test('a task with more events than one step removes goes as well', async () => {
      const clock = new ManualClock();
      const hub = await startHub({ clock, retention: { taskDays: 1, eventDays: 100 } });
      const { worker, id, assigned } = await hub.running();
      const step = { kind: 'thinking', text: 'x' };
      for (let frame = 1; frame <= 5; frame += 1)
        worker.say('task_progress', {
          task_id: id,
          generation: assigned.generation,
          events: Array.from({ length: 500 }, () => step),
        });
      await worker.finish(assigned);
      await worker.leave();
      await rounds(clock, async () => (await titles(hub)).length === 0);
      expect((await hub.get(`/api/tasks/${id}`)).status).toBe(404);
    });
  });
}
