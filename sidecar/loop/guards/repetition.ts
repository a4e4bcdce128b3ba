/**
 * Notices a model that goes round in circles: the same round three times in a row, or a
 * cycle of two or three rounds seen three times. The round that completes the third pass is not executed.
 */
import { isRecord } from '../../values/json.ts';

export interface RoundCall {
  name: string;
  arguments: unknown;
}
/** `warn`: the second pass is complete, the model is warned; `stop`: the third would be. */
export type RepetitionVerdict = 'ok' | 'warn' | 'stop';

const CYCLE_LENGTHS = [1, 2, 3];
const PASSES_TO_STOP = 3;
const REMEMBERED_ROUNDS = Math.max(...CYCLE_LENGTHS) * PASSES_TO_STOP;

export class RepetitionGuard {
  #signatures: string[] = [];

  /** Judges a round before it is executed. An empty round never repeats. */
  observe(calls: readonly RoundCall[]): RepetitionVerdict {
    if (calls.length === 0) return 'ok';
    this.#signatures.push(roundSignature(calls));
    if (this.#signatures.length > REMEMBERED_ROUNDS) this.#signatures.shift();
    if (CYCLE_LENGTHS.some((length) => this.#hasPasses(length, PASSES_TO_STOP))) return 'stop';
    if (CYCLE_LENGTHS.some((length) => this.#hasPasses(length, PASSES_TO_STOP - 1))) return 'warn';
    return 'ok';
  }

  #hasPasses(cycleLength: number, passes: number): boolean {
    const needed = cycleLength * passes;
    const tail = this.#signatures.slice(-needed);
    if (tail.length < needed) return false;
    return tail.every((signature, index) => signature === tail[index % cycleLength]);
  }
}

/** Text that two rounds share exactly when they call the same tools with the same arguments, keys in any order. */
export function roundSignature(calls: readonly RoundCall[]): string {
  return calls.map((call) => `${call.name}(${canonicalJson(call.arguments)})`).join('\n');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
