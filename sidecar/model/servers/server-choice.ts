/** A model server as one task may use it: what is known of it, a client of the task's own, and what it has installed. */
import type { Clock, ModelServer, Outcome } from '../../ports.ts';
import type { InstalledModel, ModelFailure } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import type { KnownServer } from './known-server.ts';

export interface Choice {
  readonly known: KnownServer;
  readonly client: ModelServer;
  /** As listed last; undefined while it did not report. */
  installed?: InstalledModel[];
}

/** Returns the servers that are up, and can load the model where one is named; all of them if none is: then the call reports how it is. */
export function upOf(choices: Choice[], model?: string): Choice[] {
  const up = choices.filter(({ known }) => known.condition.downReasonOf(model) === undefined);
  return up.length > 0 ? up : choices;
}

/** Those that may have the model, up or down; all where no model is named. Never empty where `choices` is not. */
export function ableFor(choices: Choice[], model: string | undefined): Choice[] {
  if (model === undefined) return choices;
  const allowed = choices.filter(({ known }) => known.isFor(model));
  const able = allowed.filter((one) => has(one, model) !== false);
  return [able, allowed].find(({ length }) => length > 0) ?? choices;
}

/** Undefined where the server did not report. */
export const has = ({ installed }: Choice, model: string): boolean | undefined =>
  installed?.some(({ name }) => isSameModel(name, model));

/** Asks what the server has loaded, which is noted for all tasks. */
export async function loadedOf(
  { client, known }: Choice,
  clock: Clock,
  signal?: AbortSignal,
): ReturnType<ModelServer['loaded']> {
  const loaded = await client.loaded(signal);
  if (loaded.ok) {
    const names = loaded.value.map(({ name }) => name);
    known.noteLoaded(names, clock.monotonicMs());
  }
  return loaded;
}

/** The outcome; a failure says which server it was. */
export function named<T>(outcome: Outcome<T, ModelFailure>, { known }: Choice): Outcome<T, ModelFailure> {
  return outcome.ok ? outcome : { ok: false, failure: { ...outcome.failure, serverUrl: known.url } };
}
