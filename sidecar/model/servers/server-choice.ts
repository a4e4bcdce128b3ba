/** A model server as one task may use it: its condition, the task's own client, and the installed models. */
import type { Clock } from '../../base/ports.ts';
import type { InstalledModel, ModelFailure, ModelServer } from '../chat.ts';
import { isSameModel } from '../choose-model.ts';
import type { SentPrompts } from '../sent-prompts.ts';
import type { ScheduledServer } from './scheduled-server.ts';
import type { Outcome } from '../../base/values/outcome.ts';

export interface ServerChoice {
  readonly server: ScheduledServer;
  readonly client: ModelServer;
  /** Prompts of the task that this server got. */
  readonly sentPrompts: SentPrompts;
  /** The installed models by the last list; undefined before the first list. */
  installedModels?: InstalledModel[];
}

/** Returns the servers that are up for the model; all if none is, so that the call reports the failure. */
export function chooseUpServers(choices: ServerChoice[], model?: string): ServerChoice[] {
  const up = choices.filter(({ server }) => server.condition.downReasonOf(model) === undefined);
  return up.length > 0 ? up : choices;
}

/** Returns the servers that may have the model, up or down; never empty unless `choices` is. */
export function findServersWith(choices: ServerChoice[], model: string | undefined): ServerChoice[] {
  if (model === undefined) return choices;
  const allowed = choices.filter(({ server }) => server.allowsModel(model));
  const capable = allowed.filter((choice) => hasModel(choice, model) !== false);
  return [capable, allowed].find(({ length }) => length > 0) ?? choices;
}

/** Returns whether the server has the model; undefined if it has not reported its models. */
export const hasModel = ({ installedModels }: ServerChoice, model: string): boolean | undefined =>
  installedModels?.some(({ name }) => isSameModel(name, model));

/** Lists the loaded models of a server, and records them for all tasks. */
export async function refreshLoadedModels(
  { client, server }: ServerChoice,
  clock: Clock,
  signal?: AbortSignal,
): ReturnType<ModelServer['listLoaded']> {
  const loaded = await client.listLoaded(signal);
  if (loaded.ok) {
    const names = loaded.value.map(({ name }) => name);
    server.recordLoaded(names, clock.monotonicMs());
  }
  return loaded;
}

/** Adds the server's URL to a failure. */
export function addServerUrl<T>(
  outcome: Outcome<T, ModelFailure>,
  { server }: ServerChoice,
): Outcome<T, ModelFailure> {
  return outcome.ok ? outcome : { ok: false, failure: { ...outcome.failure, serverUrl: server.url } };
}
