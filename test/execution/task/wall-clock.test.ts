import { expect, test } from '@jest/globals';
import { TaskControl } from '../../../sidecar/execution/task/task-control.ts';
import { ManualClock } from '../../support/manual-clock.ts';

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
