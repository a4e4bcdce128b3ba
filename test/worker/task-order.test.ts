import PQueue from 'p-queue';
import { describe, expect, test } from '@jest/globals';
import { taskOrder, type TaskOrderOptions } from '../../sidecar/worker/task-order.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Begins one task after the other; `loaded` is the model of the last one. */
function place(maxPassedOverMs: number) {
  const clock = new ManualClock();
  let loaded: string | undefined;
  const wouldSwap = (model = 'a') => loaded !== undefined && model !== loaded;
  const Order = taskOrder({ clock, maxPassedOverMs, wouldSwap });
  const queue = new PQueue<InstanceType<typeof Order>, TaskOrderOptions>({
    concurrency: 1,
    queueClass: Order,
  });
  const begun: string[] = [];
  const add = (name: string, model?: string): void => {
    const run = async (): Promise<void> => {
      begun.push(name);
      loaded = model ?? 'a';
      await clock.advance(60_000);
    };
    void queue.add(run, model === undefined ? {} : { model });
  };
  return { queue, add, begun };
}

describe('waiting tasks', () => {
  test('those of the loaded model are begun first, each model in order', async () => {
    const { queue, add, begun } = place(600_000);
    for (const [name, model] of [['1', 'a'], ['2', 'b'], ['3', 'a'], ['4', 'b'], ['5']] as const)
      add(name, model);
    await queue.onIdle();
    expect(begun).toEqual(['1', '3', '5', '2', '4']);
  });

  test('none is passed over for longer than it may be', async () => {
    const { queue, add, begun } = place(120_000);
    add('1', 'b');
    add('2', 'a');
    for (let name = 3; name <= 8; name += 1) add(String(name), 'b');
    await queue.onIdle();
    expect(begun.indexOf('2')).toBe(3);
  });

  test('clearing the queue forgets those that wait', async () => {
    const { queue, add, begun } = place(120_000);
    add('1');
    add('2');
    queue.clear();
    await queue.onIdle();
    expect(begun).toEqual(['1']);
  });
});
