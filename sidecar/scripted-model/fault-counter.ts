/**
 * How often each turn was asked for, so that a fault ends after its `times`. The only state of a
 * scripted conversation; it is not kept over a restart. Bounded.
 */
import type { Fault } from './scenario.ts';

export interface FaultCounter {
  /** Counts one request for `key` and returns its fault. */
  next(key: string, faults: readonly Fault[]): Fault | undefined;
  /** Requests of a script that were answered. */
  answered(key: string): number;
  countAnswer(key: string): void;
}

const KEPT_KEYS = 10_000;

export function createFaultCounter(): FaultCounter {
  const asked = new Map<string, number>();
  const answers = new Map<string, number>();
  return {
    next(key, faults) {
      if (faults.length === 0) return undefined;
      const before = asked.get(key) ?? 0;
      set(asked, key, before + 1);
      return faultAt(faults, before);
    },
    answered: (key) => answers.get(key) ?? 0,
    countAnswer: (key) => set(answers, key, (answers.get(key) ?? 0) + 1),
  };
}

function faultAt(faults: readonly Fault[], attempt: number): Fault | undefined {
  let end = 0;
  return faults.find((fault) => {
    end += fault.times === 'always' ? Infinity : fault.times;
    return attempt < end;
  });
}

function set(map: Map<string, number>, key: string, value: number): void {
  if (!map.has(key) && map.size >= KEPT_KEYS) {
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
  map.set(key, value);
}
