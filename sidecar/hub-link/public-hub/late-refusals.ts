/** Tasks that this worker cannot do, on the public hub: refused late, since each refusal is an attempt. */
import type { Clock } from '../../ports.ts';

/**
 * A task of another kind of worker is refused after this time, and longer the next time: until then one of that kind may be
 * free. Below the minute after which the hub takes it back by itself.
 */
const REFUSALS_AFTER_MS = [30_000, 40_000, 50_000] as const;
const MAX_REMEMBERED = 1_000;

/** Refusals that wait, by task. */
export class LateRefusals {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, () => void>();
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Refuses the task later, in place of an earlier assignment of it. */
  later(taskId: string, refuse: () => void): void {
    this.drop(taskId);
    const count = this.#counts.get(taskId) ?? 0;
    this.#counts.delete(taskId);
    this.#counts.set(taskId, count + 1);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_REMEMBERED && oldest !== undefined) this.#counts.delete(oldest);
    const afterMs = REFUSALS_AFTER_MS[Math.min(count, REFUSALS_AFTER_MS.length - 1)] ?? 0;
    const cancel = this.#clock.schedule(afterMs, () => {
      this.#waiting.delete(taskId);
      refuse();
    });
    this.#waiting.set(taskId, cancel);
  }

  drop(taskId: string): void {
    this.#waiting.get(taskId)?.();
    this.#waiting.delete(taskId);
  }

  /** The line is lost: the hub has taken the tasks back. */
  dropAll(): void {
    for (const taskId of this.#waiting.keys()) this.drop(taskId);
  }
}
