/** The circuits of several servers as a task sees them: it waits only while all are away that could answer it. */
import type { Failure } from '../ports.ts';
import type { ModelFailure } from './chat.ts';
import type { Away, Circuit, ServerCircuit } from './server-circuit.ts';

export interface SharedAsking {
  /** Address of the server that answered or failed last. */
  readonly currentUrl: string;
  /** Addresses of the servers that could answer what was asked last: the others are no help while those are away. */
  readonly ableUrls: readonly string[];
}

export function sharedCircuit(circuits: readonly ServerCircuit[], asking: SharedAsking): Circuit {
  const of = (url: string) => circuits.find((circuit) => circuit.url === url);
  const able = () => circuits.filter(({ url }) => asking.ableUrls.includes(url));
  return {
    get away(): Away | undefined {
      const away = able().map((circuit) => circuit.away);
      if (away.includes(undefined)) return undefined;
      const reason = away.map((one) => one?.reason).join('; ');
      return { reason, sinceMs: Math.max(...away.map((one) => one?.sinceMs ?? 0)) };
    },
    get hasOther() {
      const { currentUrl } = asking;
      return able().some((circuit) => circuit.url !== currentUrl && !circuit.away);
    },
    blame: async (failure: Failure) =>
      (await of((failure as ModelFailure).serverUrl ?? asking.currentUrl)?.blame(failure)) ?? false,
    answered: () => of(asking.currentUrl)?.answered(),
    async back(signal) {
      const one = new AbortController();
      const either = AbortSignal.any([signal, one.signal]);
      await Promise.race(able().map((circuit) => circuit.back(either)));
      one.abort();
    },
  };
}
