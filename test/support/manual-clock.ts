/** A clock that tests move by hand: `advance` runs what falls due, in order, and lets promises settle in between. */
import type { Clock } from '../../sidecar/base/ports.ts';

interface Timer {
  dueMs: number;
  run: () => void;
}

/** `ollama` settings: no call of a model ends by its time, however far a test moves the worker's clock. */
export const unhurriedCalls = {
  requestTimeoutMs: 36_000_000,
  firstTokenTimeoutMs: 36_000_000,
  loadTimeoutMs: 36_000_000,
};

export class ManualClock implements Clock {
  #nowMs: number;
  #timers = new Set<Timer>();
  readonly #startMs: number;

  constructor(startMs = Date.UTC(2026, 0, 7, 10, 0, 0)) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs - this.#startMs;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time forward by `durationMs`, running what falls due on the way. */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    for (;;) {
      await settle();
      const next = [...this.#timers].filter((t) => t.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
    }
    this.#nowMs = endMs;
    await settle();
  }
}

/** Lets everything that is ready run: promise jobs and one turn of the event loop. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
