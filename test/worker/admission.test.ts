import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { admitByDemand, mostTasks } from '../../sidecar/worker/admission.ts';
import type { GateDemand } from '../../sidecar/model/gate.ts';
import { ManualClock } from '../support/manual-clock.ts';

const GIB = 1024 ** 3;
const machine = { cores: 8, memoryBytes: 64 * GIB };

describe('how many tasks are in work', () => {
  test.each([
    [{ concurrency: 3 }, {}, machine, 3],
    [{ concurrency: 'auto' as const }, {}, machine, 9],
    [{ concurrency: 'auto' as const }, { slots: 4 }, machine, 12],
    [{ concurrency: 'auto' as const }, { slots: 4 }, { ...machine, memoryBytes: 16 * GIB }, 8],
    [{ concurrency: 'auto' as const }, { slots: 4 }, { ...machine, memoryBytes: 4 * GIB }, 5],
    [{ concurrency: 'auto' as const, autoLimit: 20 }, {}, machine, 20],
  ])('%j with %j: at most %4$i', (worker, ollama, on, most) => {
    expect(mostTasks(configSchema.parse({ worker, ollama }), on)).toBe(most);
  });

  describe('with auto', () => {
    /** `hasFitting`: whether a task of the loaded model waits. */
    function admission({ hasFitting }: { hasFitting: boolean }) {
      const clock = new ManualClock();
      const idle: GateDemand = { calls: 0, swaps: 0, idleServers: 1, spareSlots: 1, beginners: 0 };
      let demand = idle;
      let known: string[] = [];
      let inWork: string[] = [];
      let changed = (): void => undefined;
      const queue = { concurrency: 1, pending: 0 };
      const adjust = admitByDemand({
        queue,
        gate: {
          get demand() {
            return demand;
          },
          hasAsked: (id) => known.includes(id),
          onChange: (listener) => (changed = listener),
        },
        most: 4,
        running: () => inWork.map((id) => ({ id, asksModel: !id.startsWith('shell') })),
        hasFitting: () => hasFitting,
        clock,
      });
      const began = (ids: string[], asked: string[]): void => {
        [inWork, known, queue.pending] = [ids, asked, ids.length];
      };
      /** The concurrency once the gate says this. */
      const set = (said: Partial<GateDemand>, ids: string[], asked: string[]): number => {
        demand = { ...idle, ...said };
        began(ids, asked);
        changed();
        return queue.concurrency;
      };
      return { clock, queue, adjust, began, set };
    }
    const full = { spareSlots: 0, idleServers: 0 };

    test('one more is begun when the model would have nothing to do', async () => {
      const { clock, queue, adjust, began, set } = admission({ hasFitting: true });
      // One for the slot and one that is made ready.
      expect(queue.concurrency).toBe(2);
      // Both will ask soon.
      expect(set({}, ['1', '2'], [])).toBe(2);
      expect(set({ ...full, beginners: 1 }, ['1', '2'], ['1', '2'])).toBe(2);
      // One of them runs its checks, and leaves the slot idle.
      expect(set({}, ['1', '2'], ['1', '2'])).toBe(4);
      expect(set({ beginners: 1 }, ['1', '2', '3'], ['1', '2', '3'])).toBe(4);
      // They fill the slot together: the next one is made ready all the same.
      expect(set(full, ['1', '2'], ['1', '2'])).toBe(3);
      began(['1'], ['1']);
      adjust();
      expect(queue.concurrency).toBe(2);
      // One has left the queue and is not running yet.
      queue.pending = 2;
      adjust();
      expect(queue.concurrency).toBe(2);
      // A command alone needs no model.
      expect(set(full, ['1', 'shell 1', 'shell 2'], ['1'])).toBe(4);
      // What takes long before its first question is not waited for.
      expect(set({}, ['4', '5'], [])).toBe(2);
      await clock.advance(2_500);
      expect(queue.concurrency).toBe(4);
    });

    test('a task of another model is begun for a server that has nothing to do', () => {
      const { set } = admission({ hasFitting: false });
      // The other slot could not answer it.
      expect(set({ idleServers: 0 }, ['1'], ['1'])).toBe(1);
      // The task that has begun will ask soon.
      expect(set({}, ['1'], [])).toBe(1);
      expect(set({}, ['1'], ['1'])).toBe(2);
      // One that waits for its model is enough.
      expect(set({ swaps: 1 }, ['1', '2'], ['1', '2'])).toBe(2);
    });
  });
});
