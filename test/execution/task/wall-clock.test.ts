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
