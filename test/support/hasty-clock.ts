/** The real clock with waits that are a hundred times shorter, for what waits seconds or minutes for a server. */
import { systemClock } from '../../sidecar/system/clock.ts';
import type { Clock } from '../../sidecar/ports.ts';

export const HASTE = 100;

export const hastyClock: Clock = {
  ...systemClock,
  schedule: (delayMs, run) => systemClock.schedule(delayMs / HASTE, run),
};
