/** The real clock with waits that are shorter, for what waits seconds or minutes. */
import { systemClock } from '../../sidecar/base/system/clock.ts';
import type { Clock } from '../../sidecar/base/ports.ts';

export const HASTE = 100;

/** Waits are `times` times shorter: few enough where a process must get something done in them. */
export const clockWithHaste = (times: number): Clock => ({
  ...systemClock,
  schedule: (delayMs, run) => systemClock.schedule(delayMs / times, run),
});

export const hastyClock: Clock = clockWithHaste(HASTE);
