/**
 * Ends a loop that repeats itself: the same round three times in a row, or a cycle of two or three rounds three times. The second pass
 * causes a warning; the round that would complete the third pass is not run.
 */
import { buildRepetitionWarning } from '../../prompt/loop-messages.ts';
import { isRecord } from '../../../base/values/json.ts';
import type { Guard, IterationCall, GuardVerdict } from './guard.ts';

const CYCLE_LENGTHS = [1, 2, 3];
const PASSES_TO_STOP = 3;
const REMEMBERED_ROUNDS = Math.max(...CYCLE_LENGTHS) * PASSES_TO_STOP;

export class RepetitionGuard implements Guard {
  #signatures: string[] = [];

  checkCalls(calls: readonly IterationCall[]): GuardVerdict {
    // An empty round does not count as a repetition.
    if (calls.length === 0) return undefined;
    const names = [...new Set(calls.map(({ name }) => name))];
    this.#signatures.push(signatureOf(calls));
    if (this.#signatures.length > REMEMBERED_ROUNDS) this.#signatures.shift();
    if (CYCLE_LENGTHS.some((length) => this.#hasPasses(length, PASSES_TO_STOP))) {
      const detail = `repeated tool calls detected (${names.join(', ')})`;
      return { ending: { reason: 'repetition', detail } };
    }
    if (!CYCLE_LENGTHS.some((length) => this.#hasPasses(length, PASSES_TO_STOP - 1))) return undefined;
    return { warning: buildRepetitionWarning(names), isStuck: true };
  }

  #hasPasses(cycleLength: number, passes: number): boolean {
    const neededRounds = cycleLength * passes;
    const tail = this.#signatures.slice(-neededRounds);
    if (tail.length < neededRounds) return false;
    return tail.every((signature, index) => signature === tail[index % cycleLength]);
  }
}

/** Returns a text that is equal for two rounds exactly if they call the same tools with the same arguments, with keys in any order. */
export function signatureOf(calls: readonly IterationCall[]): string {
  return calls.map((call) => `${call.name}(${toCanonicalJson(call.arguments)})`).join('\n');
}

function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
