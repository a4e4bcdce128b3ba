import { describe, expect, test } from '@jest/globals';
import { Dispatcher } from '../../sidecar/hub/queue/dispatcher.ts';
import { Leases } from '../../sidecar/hub/queue/leases.ts';
import {
  chooseWorker,
  readRequirement,
  requirementKeyOf,
  meetsRequirement,
  type WorkerCandidate,
} from '../../sidecar/hub/queue/requirements.ts';
import { defaultTimings, computeRetryDelay } from '../../sidecar/hub/queue/timings.ts';
import { createLocalFeed } from '../../sidecar/hub/hub.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import { HubStore } from '../../sidecar/hub/storage/unit-of-work.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import type { Clock } from '../../sidecar/base/ports.ts';
import { formatTaskTitle } from '../../sidecar/base/protocol/task.ts';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import * as fc from '../support/properties.ts';
import { testHub } from './hub-fixture.ts';

/** What a dispatcher works with where no worker is there. */
async function quietQueue() {
  const store = new HubStore(await openHubDatabase(':memory:', silentLogger), createLocalFeed());
  const about = { store, clock: systemClock, timings: defaultTimings, logger: silentLogger };
  const none = { readyWorkers: () => [], nextReadyMs: () => Infinity, deliver: () => true };
  return { ...about, ...none, leases: new Leases(about) };
}

/** The queue keeps moving: a wish to look at it is never lost. */
test('a wish that comes while a look ends, however late, leads to another look', async () => {
  const about = await quietQueue();
  for (let turns = 0; turns < 12; turns += 1) {
    let looks = 0;
    let second: Promise<void> = Promise.resolve();
    const kickAfter = async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      second = dispatcher.scheduleRun();
    };
    const dispatcher: Dispatcher = new Dispatcher({
      ...about,
      readyWorkers: () => {
        looks += 1;
        if (looks === 1) void kickAfter();
        return [];
      },
    });
    await dispatcher.scheduleRun();
    await new Promise((resolve) => setImmediate(resolve));
    await second;
    expect([turns, looks]).toEqual([turns, 2]);
    await dispatcher.close();
  }
  await about.store.database.close();
});

test('closing waits for a look at what is due: the database may go right after it', async () => {
  const about = await quietQueue();
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    ...about,
    logger: { ...silentLogger, error: (fields) => void errors.push(fields) },
  });
  const sweep = dispatcher.sweep();
  await dispatcher.close();
  await about.store.database.close();
  await sweep;
  expect(errors).toEqual([]);
});

test('leases are extended after a time in which none could be renewed', async () => {
  const about = await quietQueue();
  const steps: string[] = [];
  let isDown = true;
  const leases = Object.assign(Object.create(about.leases) as Leases, {
    expire: () => {
      steps.push('expire');
      return isDown ? Promise.reject(new Error('the disk is full')) : Promise.resolve(0);
    },
    findNextDue: () => Promise.resolve(Infinity),
    extendAfterOutage: () => {
      steps.push('extend');
      return Promise.resolve();
    },
  });
  const clock = new ManualClock();
  let jumpMs = 0;
  const dispatcher = new Dispatcher({
    ...about,
    leases,
    clock: {
      now: () => clock.now() + jumpMs,
      monotonicMs: () => clock.monotonicMs(),
      schedule: (delayMs, run) => clock.schedule(delayMs, run),
    },
  });
  await dispatcher.sweep();
  isDown = false;
  await dispatcher.sweep();
  await dispatcher.sweep();
  expect(steps).toEqual(['expire', 'extend', 'expire', 'expire']);
  steps.splice(0);
  jumpMs = 3_600_000;
  await dispatcher.sweep();
  await dispatcher.sweep();
  expect(steps).toEqual(['extend', 'expire', 'expire']);
  await dispatcher.close();
  await about.store.database.close();
});

test('a delayed task starts within a minute of its time also where the machine slept, and timers with it', async () => {
  const timers = new ManualClock();
  let sleptMs = 0;
  const clock: Clock = {
    now: () => timers.now() + sleptMs,
    monotonicMs: () => timers.monotonicMs(),
    schedule: (delayMs, run) => timers.schedule(delayMs, run),
  };
  const hub = await testHub({ clock });
  const worker = await hub.worker();
  const id = await hub.submit({ delay_ms: 9 * 3_600_000 });
  // The hub has looked at the queue for the last time before.
  await timers.advance(1_000);
  expect((await hub.get(`/api/tasks/${id}`)).body.waiting_for).toBe('its start time');
  sleptMs = 9 * 3_600_000;
  for (let half = 0; half < 2; half += 1) {
    await worker.ping();
    await timers.advance(30_000);
  }
  expect(await worker.next('task_assign')).toMatchObject({ task_id: id });
});

/** Who gets a task, how long a retry waits: the rules alone. */
const worker = (workerId: string, fields: Partial<WorkerCandidate> = {}): WorkerCandidate => ({
  workerId,
  labels: [],
  models: [],
  capacity: 1,
  load: 0,
  lastAssignedAtMs: 0,
  ...fields,
});

describe('choosing a worker', () => {
  test('the least loaded part of its capacity wins, then the one with fewer labels, then the longest idle', () => {
    const busy = worker('busy', { capacity: 2, load: 1 });
    const wide = worker('wide', { capacity: 8, load: 2 });
    const gpu = worker('gpu', { labels: ['gpu'], capacity: 4, load: 1 });
    const fresh = worker('fresh', { capacity: 4, load: 1, lastAssignedAtMs: 5 });
    const rested = worker('rested', { capacity: 4, load: 1, lastAssignedAtMs: 3 });
    expect(chooseWorker({ labels: [] }, [busy, wide])?.workerId).toBe('wide');
    expect(chooseWorker({ labels: [] }, [gpu, fresh])?.workerId).toBe('fresh');
    expect(chooseWorker({ labels: [] }, [fresh, rested])?.workerId).toBe('rested');
    expect(chooseWorker({ labels: ['gpu'] }, [fresh, gpu])?.workerId).toBe('gpu');
    expect(chooseWorker({ labels: [] }, [rested, busy], 'busy')?.workerId).toBe('busy');
    expect(chooseWorker({ labels: [] }, [worker('full', { load: 1 })])).toBeUndefined();
  });

  test('a model without a tag is the latest one; a worker that tells no models takes any', () => {
    expect(meetsRequirement({ labels: [], model: 'qwen3' }, worker('a', { models: ['qwen3:latest'] }))).toBe(
      true,
    );
    expect(meetsRequirement({ labels: [], model: 'qwen3:8b' }, worker('a', { models: ['qwen3'] }))).toBe(
      false,
    );
    expect(meetsRequirement({ labels: [], model: 'qwen3:8b' }, worker('a'))).toBe(false);
  });

  test('the chosen one always suits, has room, and exists whenever one does', () => {
    const labels = fc.uniqueArray(fc.constantFrom('gpu', 'arm', 'docker'));
    const someone = fc.record({
      workerId: fc.constantFrom('a', 'b', 'c', 'd'),
      labels,
      models: fc.uniqueArray(fc.constantFrom('m:latest', 'n:1b')),
      capacity: fc.integer({ min: 1, max: 4 }),
      load: fc.integer({ min: 0, max: 4 }),
      lastAssignedAtMs: fc.nat(),
    });
    const need = fc.record({ labels, model: fc.option(fc.constantFrom('m', 'n:1b'), { nil: undefined }) });
    fc.assert(
      fc.property(need, fc.array(someone), ({ labels, model }, workers) => {
        const requirement = readRequirement(requirementKeyOf({ labels, ...(model && { model }) }));
        const able = workers.filter((one) => one.load < one.capacity && meetsRequirement(requirement, one));
        const chosen = chooseWorker(requirement, workers);
        if (able.length === 0) expect(chosen).toBeUndefined();
        else expect(able).toContain(chosen);
      }),
    );
  });

  test('the same needs have the same key, in whatever order they were written', () => {
    expect(requirementKeyOf({ labels: ['b', 'a', 'b'], model: 'x' })).toBe(
      requirementKeyOf({ labels: ['a', 'b'], model: 'x:latest' }),
    );
  });
});

test('the wait before a retry doubles up to its limit and has some jitter', () => {
  const waits = [1, 2, 3, 20].map((attempts) => computeRetryDelay(attempts, defaultTimings, () => 0));
  expect(waits).toEqual([2_000, 4_000, 8_000, 300_000]);
  expect(computeRetryDelay(1, defaultTimings, () => 1)).toBe(1_600);
});

test('a title is the first line that says something', () => {
  expect(formatTaskTitle({ description: '\n\n## Fix it\nplease', metadata: {} })).toBe('Fix it');
  expect(formatTaskTitle({ description: '🦊'.repeat(200), metadata: {} })).toBe('🦊'.repeat(160));
  const metadata = { follow_up_goal: '# Add a --json flag\nto the tool', follow_up_depth: 2 };
  expect(formatTaskTitle({ description: 'Go on with a task', metadata })).toBe('↳ 2: Add a --json flag');
});
