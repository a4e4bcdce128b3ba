/** Who is let in when, on a clock that the test moves. */
import { describe, expect, test } from '@jest/globals';
import type { ChatOutcome } from '../../../sidecar/model/chat.ts';
import { Scheduler, type Grant } from '../../../sidecar/model/servers/scheduler.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { randomFrom } from '../../support/random.ts';

const SERVER = 'http://gpu:11434';
const LOAD_MS = 8_000;

interface Costs {
  loadMs?: number;
  readMs?: number;
  writeMs?: number;
}

const answer = ({ loadMs = 0, readMs = 0, writeMs = 0 }: Costs = {}): ChatOutcome => ({
  ok: true,
  value: {
    message: { role: 'assistant', content: '' },
    doneReason: 'stop',
    tokensIn: 1_000,
    tokensOut: 0,
    totalNs: 0,
    loadNs: loadMs * 1e6,
    promptEvalNs: readMs * 1e6,
    evalNs: writeMs * 1e6,
  },
});

/** Calls by name; `inside` are those that have a slot, in the order in which they got it. */
function place(slots: number, maxPassedOverMs = 600_000, clock = new ManualClock()) {
  const settings = { url: SERVER, slots };
  const scheduler = new Scheduler({ clock, maxPassedOverMs, servers: [settings] });
  const server = scheduler.servers.getOrAdd(settings);
  const grants = new Map<string, Grant>();
  const ended: string[] = [];
  const come = (name: string, model = 'a', signal?: AbortSignal): void => {
    const [taskId = name] = name.split('.');
    const isLoad = name.endsWith('.load');
    const call = { taskId, model, isLoad, servers: () => [server], signal };
    void scheduler.waitForSlot(call).then((entry) => {
      if (typeof entry === 'object') grants.set(name, entry);
      else ended.push(`${name} ${entry ?? 'cancelled'}`);
    });
  };
  return {
    clock,
    scheduler,
    server,
    ended,
    come,
    /** After everything that is ready has run. */
    inside: async (): Promise<string[]> => {
      await clock.advance(0);
      return [...grants.keys()];
    },
    /** After free slots have been idle for a moment. */
    insideSoon: async (): Promise<string[]> => {
      await clock.advance(500);
      return [...grants.keys()];
    },
    leave: (name: string, costs?: Costs): void => {
      // A server without a cached prompt reads a token in a millisecond.
      grants.get(name)?.end(answer(costs), (costs?.readMs ?? 0) / 1_000);
      grants.delete(name);
    },
    goDown: async () => {
      await server.condition.attributeFailure({ code: 'model_unreachable', message: 'gone' }, undefined);
      server.condition.stop();
    },
  };
}

/** A second passes between two readings: before that of number `at`. */
class JumpingClock extends ManualClock {
  #readings = 0;
  readonly #at: number;

  constructor(at: number) {
    super();
    this.#at = at;
  }

  override monotonicMs(): number {
    this.#readings += 1;
    return super.monotonicMs() + (this.#readings > this.#at ? 1_000 : 0);
  }
}

describe('the scheduler', () => {
  test('what changes while it decides is waited for', async () => {
    for (let reading = 1; reading < 30; reading += 1) {
      const clock = new JumpingClock(reading);
      const { come, leave, inside } = place(1, 600_000, clock);
      come('1');
      await inside();
      leave('1');
      come('2');
      await clock.advance(2_000);
      expect([reading, ...(await inside())]).toEqual([reading, '2']);
    }
  });

  test('lets in as many calls as there are slots, and calls of older tasks first', async () => {
    const { come, inside, insideSoon, leave } = place(2);
    for (const name of ['1', '2', '3', '4']) come(name);
    expect(await inside()).toEqual(['1', '2']);
    leave('1');
    expect(await insideSoon()).toEqual(['2', '3']);
    come('1');
    leave('2');
    expect(await insideSoon()).toEqual(['3', '1']);
  });

  test('a call that is cancelled while it waits takes no slot', async () => {
    const { come, inside, insideSoon, leave, ended } = place(1);
    const cancel = new AbortController();
    come('1');
    come('2', 'a', cancel.signal);
    come('3');
    cancel.abort();
    expect(await inside()).toEqual(['1']);
    leave('1');
    expect(await insideSoon()).toEqual(['3']);
    expect(ended).toEqual(['2 cancelled']);
  });

  test('what waits is told when no server answers any more', async () => {
    const { come, inside, goDown, ended } = place(1);
    come('1');
    come('2');
    await goDown();
    expect(await inside()).toEqual(['1']);
    expect(ended).toEqual(['2 down']);
  });

  test('calls of the loaded model go first, and another model waits until no call runs', async () => {
    const { come, inside, insideSoon, leave } = place(2);
    come('1', 'a');
    come('2', 'b');
    come('3', 'a');
    expect(await inside()).toEqual(['1', '3']);
    leave('1');
    expect(await inside()).toEqual(['3']);
    come('4', 'a');
    expect(await insideSoon()).toEqual(['3', '4']);
    leave('3');
    leave('4');
    expect(await insideSoon()).toEqual(['2']);
  });

  test('but none is passed over for longer than it may be', async () => {
    const { come, inside, leave, clock, scheduler } = place(2, 60_000);
    come('1', 'a');
    come('2', 'b');
    come('3', 'a');
    await clock.advance(60_000);
    leave('1');
    come('4', 'a');
    expect(await inside()).toEqual(['3']);
    leave('3');
    for (const task of ['1', '3']) scheduler.forgetTask(task);
    expect(await inside()).toEqual(['2']);
    // What the task was passed over for counts at its next call.
    come('5', 'a');
    leave('2');
    expect(await inside()).toEqual(['4', '5']);
    come('2', 'b');
    expect(await inside()).toEqual(['4', '5']);
    leave('4');
    come('6', 'a');
    leave('5');
    expect(await inside()).toEqual(['2']);
  });

  test('models that the server has loaded together do not wait for each other', async () => {
    const { come, inside, server, clock } = place(2);
    come('1', 'a');
    server.recordLoaded(['a', 'b'], clock.monotonicMs());
    come('2', 'b');
    expect(await inside()).toEqual(['1', '2']);
  });

  test('keeps a slot for a moment for its task, though others have waited', async () => {
    const { come, inside, insideSoon, leave, clock } = place(1);
    for (const name of ['1', '2']) {
      come(name);
      await insideSoon();
      leave(name);
      await insideSoon();
    }
    come('1');
    await inside();
    come('2');
    leave('1');
    await clock.advance(20);
    come('1');
    expect(await inside()).toEqual(['1']);
    leave('1');
    await clock.advance(24);
    expect(await inside()).toEqual([]);
    await clock.advance(1);
    expect(await inside()).toEqual(['2']);
  });

  test('keeps a model for tasks that come back sooner than it would be loaded, and not after their end', async () => {
    const { come, inside, leave, clock, scheduler } = place(1);
    come('1', 'a');
    await inside();
    leave('1', { loadMs: LOAD_MS });
    await clock.advance(3_000);
    come('1', 'a');
    await inside();
    come('2', 'b');
    leave('1');
    await clock.advance(3_000);
    expect(await inside()).toEqual([]);
    come('1', 'a');
    expect(await inside()).toEqual(['1']);
    leave('1');
    scheduler.forgetTask('1');
    expect(await inside()).toEqual(['2']);
  });

  test('a model is kept for a task that has begun, also where another one has just asked on at once', async () => {
    const { come, inside, insideSoon, leave, clock, scheduler } = place(1);
    come('1', 'a');
    await inside();
    leave('1', { loadMs: LOAD_MS });
    await clock.advance(5_000);
    come('2', 'a');
    await inside();
    leave('2');
    come('2', 'a');
    await inside();
    leave('2');
    scheduler.forgetTask('2');
    come('3', 'b');
    await clock.advance(10_000);
    expect(await insideSoon()).toEqual([]);
    come('1', 'a');
    expect(await insideSoon()).toEqual(['1']);
  });

  test('a load of what is loaded says nothing of what a load takes', async () => {
    const { come, inside, insideSoon, leave, clock, scheduler } = place(1);
    come('1.load', 'a');
    await inside();
    leave('1.load', { loadMs: LOAD_MS });
    come('2.load', 'a');
    await insideSoon();
    leave('2.load', { loadMs: 900 });
    expect(scheduler.serverStates).toMatchObject([{ loadCount: 1 }]);
    come('1', 'a');
    await insideSoon();
    leave('1');
    await clock.advance(3_000);
    come('1', 'a');
    await inside();
    come('3', 'b');
    leave('1');
    expect(await inside()).toEqual([]);
  });

  test('a task begins where a slot has been idle for a moment, and not in a short pause of those that have begun', async () => {
    const { come, inside, leave, clock, scheduler } = place(1);
    come('1');
    await inside();
    leave('1');
    come('2');
    await clock.advance(499);
    expect(await inside()).toEqual([]);
    // One is ready, and more would have no slot.
    expect(scheduler.countUsefulTasks({ isFitting: true, startingTasks: 0 })).toBe(0);
    come('1');
    expect(await inside()).toEqual(['1']);
    leave('1');
    await clock.advance(500);
    expect(await inside()).toEqual(['2']);
    // A task that has ended leaves its slot at once.
    come('3');
    leave('2');
    scheduler.forgetTask('2');
    expect(await inside()).toEqual(['3']);
  });

  test('a task that has begun goes before an older one that has not', async () => {
    const { come, inside, leave, clock, scheduler, server } = place(1);
    scheduler.expectCall('older', server, 'a');
    come('1');
    await inside();
    await clock.advance(1_000);
    leave('1');
    await clock.advance(2_000);
    come('2');
    expect(await inside()).toEqual(['2']);
    come('older');
    come('1');
    await clock.advance(10_000);
    leave('2');
    scheduler.forgetTask('2');
    expect(await inside()).toEqual(['1']);
  });

  test('a model is kept for a task that has not asked yet', async () => {
    const { come, inside, leave, clock, scheduler, server } = place(1);
    come('1', 'a');
    await inside();
    leave('1', { loadMs: LOAD_MS });
    scheduler.forgetTask('1');
    scheduler.expectCall('2', server, 'a');
    come('3', 'b');
    await clock.advance(20_000);
    expect(await inside()).toEqual([]);
    come('2', 'a');
    expect(await inside()).toEqual(['2']);
    leave('2');
    scheduler.forgetTask('2');
    expect(await inside()).toEqual(['3']);
  });

  test('where a task that has begun waits for its model, no other one begins', async () => {
    const { come, inside, leave, clock, scheduler } = place(2);
    come('1', 'a');
    await inside();
    leave('1', { loadMs: LOAD_MS });
    await clock.advance(60_000);
    come('2', 'b');
    expect(await inside()).toEqual(['2']);
    come('1', 'a');
    come('3', 'b');
    expect(await inside()).toEqual(['2']);
    leave('2');
    scheduler.forgetTask('2');
    expect(await inside()).toEqual(['1']);
  });

  test('another task is wanted while slots are spare, and of another model only for an idle server', async () => {
    const { come, inside, leave, scheduler } = place(1);
    const wanted = (isFitting: boolean, startingTasks = 0) =>
      scheduler.countUsefulTasks({ isFitting, startingTasks });
    // One for the slot and one that is made ready.
    expect([wanted(true), wanted(true, 2), wanted(false), wanted(false, 1)]).toEqual([2, 0, 1, 0]);
    come('1', 'a');
    await inside();
    expect([wanted(true), wanted(false)]).toEqual([1, 0]);
    come('2', 'a');
    // It is the one that is ready.
    expect([wanted(true), wanted(false)]).toEqual([0, 0]);
    leave('1');
    for (const task of ['1', '2']) scheduler.forgetTask(task);
    await inside();
    leave('2');
    expect(wanted(false)).toBe(1);
    come('3', 'a');
    await inside();
    come('4', 'b');
    leave('3');
    // The one that waits for its model is enough.
    expect(wanted(false)).toBe(0);
  });

  test.each([1, 2, 3])(
    'nobody waits for ever, whoever comes, goes or is cancelled (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const { come, inside, leave, clock, scheduler, ended } = place(1 + (seed % 2), 30_000);
      const cancels: AbortController[] = [];
      let came = 0;
      let left = 0;
      const step = async (mayCome: boolean): Promise<void> => {
        const dice = random();
        if (mayCome && dice < 0.5) {
          const task = 1 + Math.floor(random() * 6);
          const cancel = new AbortController();
          cancels.push(cancel);
          came += 1;
          come(`${task}.${came}`, random() < 0.5 ? 'a' : 'b', cancel.signal);
        } else if (mayCome && dice < 0.55) cancels[Math.floor(random() * cancels.length)]?.abort();
        else if (mayCome && dice < 0.58) scheduler.forgetTask(String(1 + Math.floor(random() * 6)));
        const [first] = await inside();
        if (first !== undefined && dice > 0.4) {
          leave(first, { loadMs: random() < 0.2 ? LOAD_MS : 0, readMs: random() * 1_000 });
          left += 1;
        }
        await clock.advance(random() * 2_000);
      };
      for (let count = 0; count < 400; count += 1) await step(true);
      for (let count = 0; count < 1_500 && left + ended.length < came; count += 1) await step(false);
      expect(left + ended.length).toBe(came);
      expect(scheduler.callCount).toBe(0);
    },
  );
});
