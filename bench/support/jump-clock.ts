/**
 * A clock that stands still while the process works and jumps to the next timer when it has nothing to do: an hour of
 * waiting for a model takes as long as the work beside it, and none of that work is in the hour.
 */
import { setTimeout as reallySleep } from 'node:timers/promises';
import type { Clock } from '../../sidecar/base/ports.ts';

const SAMPLES = 5;
const SAMPLE_MS = 2;

export class JumpClock implements Clock {
  #nowMs = 0;
  readonly #epochMs = Date.now();
  readonly #timers = new Set<{ dueMs: number; run: () => void }>();

  now = (): number => this.#epochMs + Math.round(this.#nowMs);
  monotonicMs = (): number => this.#nowMs;

  schedule = (delayMs: number, run: () => void): (() => void) => {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Jumps from timer to timer until `ended`. `processes`: children that wait for this clock and do nothing else. */
  async runUntil(ended: () => boolean, processes: () => number): Promise<void> {
    while (!ended()) {
      if (!(await isIdle(processes))) continue;
      const next = [...this.#timers].reduce((a, b) => (b.dueMs < a.dueMs ? b : a));
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
    }
  }
}

/** Nothing happens in this process, and no child works. */
async function isIdle(processes: () => number): Promise<boolean> {
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const before = eventsSoFar();
    await reallySleep(SAMPLE_MS);
    if (eventsSoFar() !== before) return false;
    const resources = process.getActiveResourcesInfo();
    if (resources.some((name) => name.startsWith('FSReq') || name === 'Immediate')) return false;
    if (resources.filter((name) => name === 'ProcessWrap').length > processes()) return false;
  }
  return true;
}

/** Of sockets, processes and the thread pool; on a busy machine what follows from one may take the loop less than a millisecond. */
const eventsSoFar = (): number => performance.nodeTiming.uvMetricsInfo.events;
