/**
 * Counts requests per turn, so that a fault ends after its `times`. These counts are the only state of a scripted
 * conversation. They are bounded, and lost on a restart.
 */
import type { Fault } from './scenario.ts';

const MAX_KEYS = 10_000;

export class FaultCounter {
  readonly #requests = new Map<string, number>();
  readonly #answers = new Map<string, number>();

  /** Counts a request for `key` and returns its fault. */
  takeFault(key: string, faults: readonly Fault[]): Fault | undefined {
    return faults.length === 0 ? undefined : findFaultAt(faults, incrementCount(this.#requests, key));
  }

  /** Returns the number of answered requests of a script. */
  getAnswerCount(key: string): number {
    return this.#answers.get(key) ?? 0;
  }

  addAnswer(key: string): void {
    incrementCount(this.#answers, key);
  }
}

function findFaultAt(faults: readonly Fault[], attempt: number): Fault | undefined {
  let end = 0;
  return faults.find((fault) => {
    end += fault.times === 'always' ? Infinity : fault.times;
    return attempt < end;
  });
}

/** Increments a count. Returns the count before. */
function incrementCount(counts: Map<string, number>, key: string): number {
  const [oldest] = counts.keys();
  if (!counts.has(key) && counts.size >= MAX_KEYS && oldest !== undefined) counts.delete(oldest);
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}
