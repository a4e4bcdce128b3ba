import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { admitByDemand, mostTasks } from '../../sidecar/worker/admission.ts';
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
    function admission({ hasFitting, slots }: { hasFitting: boolean; slots: number }) {
      const clock = new ManualClock();
      let demand = { calls: 0, swaps: 0, slots, idleServers: 1 };
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
      /** The concurrency once the gate has these calls. */
      const set = (calls: number, ids: string[], asked: string[], swaps = 0): number => {
        demand = { calls, swaps, slots, idleServers: calls > swaps ? 0 : 1 };
        began(ids, asked);
        changed();
        return queue.concurrency;
      };
      return { clock, queue, adjust, began, set };
    }

    test('one more is begun when the model would have nothing to do', async () => {
      const { clock, queue, adjust, began, set } = admission({ hasFitting: true, slots: 1 });
      // One for the slot and one that waits behind it.
      expect(queue.concurrency).toBe(2);
      // Both will ask soon.
      expect(set(0, ['1', '2'], [])).toBe(2);
      expect(set(2, ['1', '2'], ['1', '2'])).toBe(2);
      // One runs its checks.
      expect(set(1, ['1', '2'], ['1', '2'])).toBe(3);
      expect(set(0, ['1', '2', '3'], ['1', '2', '3'])).toBe(4);
      began(['1'], ['1']);
      adjust();
      expect(queue.concurrency).toBe(3);
      // One has left the queue and is not running yet.
      queue.pending = 2;
      adjust();
      expect(queue.concurrency).toBe(3);
      // A command alone needs no model.
      expect(set(1, ['1', 'shell 1', 'shell 2'], ['1'])).toBe(4);
      // What takes long before its first question is not waited for.
      expect(set(0, ['4', '5'], [])).toBe(2);
      await clock.advance(5_000);
      expect(queue.concurrency).toBe(4);
    });

    test('calls that wait for another model do not keep tasks of the loaded one back', () => {
      const { set } = admission({ hasFitting: true, slots: 1 });
      expect(set(2, ['1', '2'], ['1', '2'], 2)).toBe(4);
      expect(set(3, ['1', '2', '3'], ['1', '2', '3'], 1)).toBe(3);
    });

    test('a task of another model is begun for a server that has nothing to do', () => {
      const { set } = admission({ hasFitting: false, slots: 2 });
      // The other slot could not answer it.
      expect(set(1, ['1'], ['1'])).toBe(1);
      // The task that has begun will ask soon.
      expect(set(0, ['1'], [])).toBe(1);
      expect(set(0, ['1'], ['1'])).toBe(2);
      // One that waits for its model is enough.
      expect(set(1, ['1', '2'], ['1', '2'], 1)).toBe(2);
    });
  });
});
