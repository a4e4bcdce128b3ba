/** The circuits of several servers as a task sees them: it waits only while all of them are away. */
import type { Failure } from '../ports.ts';
import type { ModelFailure } from './chat.ts';
import type { Away, Circuit, ServerCircuit } from './server-circuit.ts';

/** `current`: address of the server that answered or failed last. */
export function sharedCircuit(circuits: readonly ServerCircuit[], current: () => string): Circuit {
  const of = (url: string) => circuits.find((circuit) => circuit.url === url);
  return {
    get away(): Away | undefined {
      const away = circuits.map((circuit) => circuit.away);
      if (away.includes(undefined)) return undefined;
      const reason = away.map((one) => one?.reason).join('; ');
      return { reason, sinceMs: Math.max(...away.map((one) => one?.sinceMs ?? 0)) };
    },
    get hasOther() {
      const url = current();
      return circuits.some((circuit) => circuit.url !== url && !circuit.away);
    },
    blame: async (failure: Failure) =>
      (await of((failure as ModelFailure).serverUrl ?? current())?.blame(failure)) ?? false,
    answered: () => of(current())?.answered(),
    async back(signal) {
      const one = new AbortController();
      const either = AbortSignal.any([signal, one.signal]);
      await Promise.race(circuits.map((circuit) => circuit.back(either)));
      one.abort();
    },
  };
}
