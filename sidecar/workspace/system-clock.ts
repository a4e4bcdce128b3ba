/** The machine's clock, where no other is injected. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
