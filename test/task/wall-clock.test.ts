import { describe, expect, test } from '@jest/globals';
import { TaskControl } from '../../sidecar/task/task-control.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('the wall clock of a task stands still while it is paused, however many pause it', async () => {
  const clock = new ManualClock();
  const control = new TaskControl();
  control.startWallClock(clock, 10_000, 2_000);
  await clock.advance(3_000);
  const resume = [control.pauseWallClock(), control.pauseWallClock()];
  await clock.advance(3_600_000);
  resume[0]?.();
  await clock.advance(3_600_000);
  expect(control.usedMs).toBe(5_000);
  resume[1]?.();
  await clock.advance(4_999);
  expect(control.stopReason).toBeUndefined();
  await clock.advance(1);
  expect(control.stopReason).toBe('timeout');
  control.dispose();
});

test('a pause at the very end of the time stops the task all the same', async () => {
  const clock = new ManualClock();
  const control = new TaskControl();
  // Due before the wall clock's own timer, as when something kept the process busy until both were due.
  clock.schedule(10_000, () => control.pauseWallClock()());
  control.startWallClock(clock, 10_000);
  await clock.advance(10_000);
  expect(control.stopReason).toBe('timeout');
  expect(control.signal.aborted).toBe(true);
  control.dispose();
});

test('a task that had no time left before it began is still stopped softly', () => {
  const control = new TaskControl();
  control.startWallClock(new ManualClock(), 10_000, 10_000);
  control.pauseWallClock()();
  expect(control.stopReason).toBe('timeout');
  expect(control.signal.aborted).toBe(false);
  control.dispose();
});

describe('a part of a task', () => {
  test('stops alone when its share is over, and the task goes on', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.part(4_000);
    await clock.advance(4_000);
    expect(part.stopReason).toBe('timeout');
    expect(part.signal.aborted).toBe(true);
    expect(control.stopReason).toBeUndefined();
    expect(control.leftMs).toBe(6_000);
    control.dispose();
  });

  test('stops with the task, and a cancel goes before its own end', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.part(4_000);
    await clock.advance(4_000);
    control.stop('cancelled');
    expect(part.stopReason).toBe('cancelled');
    expect(part.cancelled.aborted).toBe(true);
    const next = control.part(4_000);
    expect(next.stopReason).toBe('cancelled');
    expect(next.signal.aborted).toBe(true);
    control.dispose();
  });

  test('a soft stop of the task is a soft stop of its part, also of one that begins later', () => {
    const control = new TaskControl();
    const part = control.part(4_000);
    control.stopSoon('shutdown');
    const next = control.part(4_000);
    for (const each of [part, next]) {
      expect(each.stopReason).toBe('shutdown');
      expect(each.stopping.aborted).toBe(true);
      expect(each.signal.aborted).toBe(false);
    }
    control.dispose();
  });

  test('its pauses are those of the task, and what people say reaches it', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.part(4_000);
    const resume = part.pauseWallClock();
    await clock.advance(3_600_000);
    resume();
    await clock.advance(3_999);
    expect([part.stopReason, control.leftMs]).toEqual([undefined, 6_001]);
    await clock.advance(1);
    expect(part.stopReason).toBe('timeout');
    control.steer('Use the plus sign.');
    expect(part.steering.take().texts).toEqual(['Use the plus sign.']);
    expect(control.steering.takenTexts).toEqual(['Use the plus sign.']);
    control.dispose();
    expect(clock.pending).toBe(0);
  });
});
