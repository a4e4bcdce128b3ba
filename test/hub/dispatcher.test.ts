/** The queue keeps moving: a wish to look at it is never lost. */
import { expect, test } from '@jest/globals';
import { systemClock } from '../../sidecar/system/clock.ts';
import { LocalFeed } from '../../sidecar/hub/replicas/local-feed.ts';
import { openHubDatabase } from '../../sidecar/hub/storage/open.ts';
import { HubStore } from '../../sidecar/hub/storage/unit-of-work.ts';
import { Dispatcher } from '../../sidecar/hub/queue/dispatcher.ts';
import { Leases } from '../../sidecar/hub/queue/leases.ts';
import { defaultTimings } from '../../sidecar/hub/queue/timings.ts';
import type { Clock } from '../../sidecar/ports.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { testHub } from './hub-fixture.ts';

test('a wish that comes while a look ends, however late, leads to another look', async () => {
  const store = new HubStore(await openHubDatabase(':memory:', silentLogger), new LocalFeed());
  const about = { store, clock: systemClock, timings: defaultTimings };
  for (let turns = 0; turns < 12; turns += 1) {
    let looks = 0;
    let second: Promise<void> = Promise.resolve();
    const kickAfter = async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      second = dispatcher.kick();
    };
    const dispatcher: Dispatcher = new Dispatcher({
      ...about,
      leases: new Leases(about),
      logger: silentLogger,
      readyWorkers: () => {
        looks += 1;
        if (looks === 1) void kickAfter();
        return [];
      },
      nextReadyMs: () => Infinity,
      deliver: () => true,
    });
    await dispatcher.kick();
    await new Promise((resolve) => setImmediate(resolve));
    await second;
    expect([turns, looks]).toEqual([turns, 2]);
    await dispatcher.close();
  }
  await store.database.close();
});

test('closing waits for a look at what is due: the database may go right after it', async () => {
  const store = new HubStore(await openHubDatabase(':memory:', silentLogger), new LocalFeed());
  const about = { store, clock: systemClock, timings: defaultTimings };
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    ...about,
    leases: new Leases(about),
    logger: { ...silentLogger, error: (fields) => void errors.push(fields) },
    readyWorkers: () => [],
    nextReadyMs: () => Infinity,
    deliver: () => true,
  });
  const sweep = dispatcher.sweep();
  await dispatcher.close();
  await store.database.close();
  await sweep;
  expect(errors).toEqual([]);
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
    worker.say('ping');
    await worker.next('pong');
    await timers.advance(30_000);
  }
  expect(await worker.next('task_assign')).toMatchObject({ task_id: id });
});
