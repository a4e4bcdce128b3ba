import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { mostTasks, openQueue } from '../../sidecar/worker/admission.ts';
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

  /** A queue whose tasks end when they are told to; the scheduler wants `wanted` tasks, those that are coming included. */
  function place({ isAuto = false, maxPassedOverMs = 600_000 } = {}) {
    const clock = new ManualClock();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const asked = new Set<string>();
    let loaded: string | undefined;
    let wanted = 0;
    let changed = (): void => undefined;
    const queue = openQueue({
      most: isAuto ? 4 : 1,
      isAuto,
      maxPassedOverMs,
      defaultModel: 'a',
      scheduler: {
        tasksWanted: ({ isFitting, coming }) => (isFitting ? wanted : 0) - coming,
        hasAsked: (id) => asked.has(id),
        onChange: (listener) => (changed = listener),
        servers: {
          wouldSwap: (model) => loaded !== undefined && model !== loaded,
          isLoadedAnywhere: (model) => model === loaded,
        },
      },
      running: () => [...ends.keys()].map((id) => ({ id, asksModel: !id.startsWith('shell') })),
      clock,
    });
    const add = (name: string, model?: string): void => {
      const run = async (): Promise<void> => {
        begun.push(name);
        loaded = model ?? 'a';
        await new Promise<void>((resolve) => ends.set(name, resolve));
        ends.delete(name);
      };
      void queue.add(run, model === undefined ? {} : { model });
    };
    const settled = () => clock.advance(0);
    return {
      clock,
      queue,
      begun,
      add,
      settled,
      end: async (name = begun.at(-1) ?? ''): Promise<void> => {
        ends.get(name)?.();
        await settled();
      },
      want: async (count: number): Promise<void> => {
        wanted = count;
        changed();
        await settled();
      },
      ask: async (name: string): Promise<void> => {
        asked.add(name);
        changed();
        await settled();
      },
    };
  }

  describe('with auto', () => {
    test('as many are begun as the scheduler wants, without those that will ask soon', async () => {
      const { begun, add, settled, want, ask, clock } = place({ isAuto: true });
      for (const name of ['1', '2', '3', '4', '5', '6']) add(name);
      await settled();
      // One is begun in any case.
      expect(begun).toEqual(['1']);
      await want(2);
      expect(begun).toEqual(['1', '2']);
      await ask('1');
      expect(begun).toEqual(['1', '2', '3']);
      // What takes long before its first question is not waited for; no more than four are in work.
      await clock.advance(2_500);
      expect(begun).toEqual(['1', '2', '3', '4']);
      await want(1);
      expect(begun).toHaveLength(4);
    });

    test('a command alone needs no model', async () => {
      const { begun, add, want } = place({ isAuto: true });
      for (const name of ['shell 1', '2', '3']) add(name);
      await want(1);
      expect(begun).toEqual(['shell 1', '2']);
    });

    test('tasks of another model wait where none is wanted for that', async () => {
      const { begun, add, want, ask } = place({ isAuto: true });
      add('1', 'a');
      add('2', 'b');
      await ask('1');
      await want(2);
      expect(begun).toEqual(['1']);
    });
  });

  describe('in which order', () => {
    test('those of the loaded model are begun first, each model in order', async () => {
      const { begun, add, settled, end } = place();
      for (const [name, model] of [['1', 'a'], ['2', 'b'], ['3', 'a'], ['4', 'b'], ['5']] as const)
        add(name, model);
      await settled();
      for (let count = 0; count < 5; count += 1) await end();
      expect(begun).toEqual(['1', '3', '5', '2', '4']);
    });

    test('none is passed over for longer than it may be', async () => {
      const { begun, add, settled, end, clock } = place({ maxPassedOverMs: 120_000 });
      add('1', 'b');
      add('2', 'a');
      for (let name = 3; name <= 8; name += 1) add(String(name), 'b');
      await settled();
      for (let count = 0; count < 8; count += 1) {
        await clock.advance(60_000);
        await end();
      }
      expect(begun.indexOf('2')).toBe(3);
    });

    test('clearing the queue forgets those that wait', async () => {
      const { begun, add, settled, end, queue } = place();
      add('1');
      add('2');
      await settled();
      queue.clear();
      await end();
      await queue.onIdle();
      expect(begun).toEqual(['1']);
    });
  });
});
