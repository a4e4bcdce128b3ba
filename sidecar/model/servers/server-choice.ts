/** A model server as one task may use it: its condition, the task's own client, and the installed models. */
import type { Clock, ModelServer, Outcome } from '../../ports.ts';
import type { InstalledModel, ModelFailure } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import type { KnownServer } from './known-server.ts';

export interface Choice {
  readonly known: KnownServer;
  readonly client: ModelServer;
  /** As last listed; undefined before that. */
  installed?: InstalledModel[];
}

/** Returns the servers that are up for the model; all if none is, so that the call reports the failure. */
export function upOf(choices: Choice[], model?: string): Choice[] {
  const up = choices.filter(({ known }) => known.condition.downReasonOf(model) === undefined);
  return up.length > 0 ? up : choices;
}

/** Returns the servers that may have the model, up or down; never empty unless `choices` is. */
export function ableFor(choices: Choice[], model: string | undefined): Choice[] {
  if (model === undefined) return choices;
  const allowed = choices.filter(({ known }) => known.isFor(model));
  const able = allowed.filter((one) => has(one, model) !== false);
  return [able, allowed].find(({ length }) => length > 0) ?? choices;
}

/** Returns undefined if the server has not reported. */
export const has = ({ installed }: Choice, model: string): boolean | undefined =>
  installed?.some(({ name }) => isSameModel(name, model));

/** Lists the loaded models of a server, and records them for all tasks. */
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

/** Adds the server's URL to a failure. */
export function named<T>(outcome: Outcome<T, ModelFailure>, { known }: Choice): Outcome<T, ModelFailure> {
  return outcome.ok ? outcome : { ok: false, failure: { ...outcome.failure, serverUrl: known.url } };
}
