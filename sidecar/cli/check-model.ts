/**
 * Checks before a task starts that a model server answers and has a usable model. Throws `CommandError` (preflight), or
 * `CatalogError` for an invalid `models.json` of the user.
 */
import { findUserModelsFile } from '../base/config/layers.ts';
import { removeCredentials } from '../base/addresses/credentials.ts';
import type { Config } from '../base/config/schema.ts';
import { ModelCatalog } from '../model/catalog.ts';
import type { InstalledModel } from '../model/chat.ts';
import { chooseFromLadder, chooseModel, isSameModel } from '../model/choose-model.ts';
import { listConfiguredServers, isModelAllowed } from '../model/servers/server-settings.ts';
import { detectServerMachine } from '../model/server-machine.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { isScriptedVersion } from '../model/scripted/models.ts';
import { createPreflightError } from './exit-codes.ts';
import { createTimeoutSignal } from '../base/system/clock.ts';

const PREFLIGHT_TIMEOUT_MS = 5_000;

export interface CheckedModel {
  url: string;
  name: string;
  isScripted: boolean;
  /** Note for the user if another model than the requested one, or a scripted server, is used. */
  note?: string;
}

/**
 * Returns the default model of tasks and a server that has it. `requestedModel` must be installed; from a `ladder`, the
 * first installed model is chosen.
 */
export async function checkModel(
  config: Config,
  requestedModel?: string,
  ladder: readonly string[] = [],
): Promise<CheckedModel> {
  const servers = await findAnsweringServers(config);
  const installed = servers.flatMap((server) =>
    server.installedModels.map((model) => [model.name, model] as const),
  );
  const installedModels = [...new Map(installed).values()];
  const choice = chooseModel(
    {
      namedModel: requestedModel ?? chooseFromLadder(ladder, installedModels).model,
      configuredDefault: config.model.default,
      onMissing: config.model.onMissing,
      autoPull: config.ollama.autoPull,
      mayUseAny: true,
      machine: config.model.default
        ? undefined
        : await detectServerMachine(listConfiguredServers(config.ollama)),
    },
    installedModels,
    await ModelCatalog.load({ userFile: findUserModelsFile() }),
  );
  if (!choice.ok) throw createPreflightError(choice.failure.code, choice.failure.message);
  const { model, warning } = choice.value;
  const hasModel = ({ installedModels: models }: AnsweringServer) =>
    models.some(({ name }) => isSameModel(name, model));
  const { url, version } = servers.find(hasModel) ?? servers[0];
  const scripted = isScriptedVersion(version);
  const notes = [
    warning,
    scripted
      ? `${removeCredentials(url)} is a scripted model server: its answers come from a scenario file, not from a real model`
      : undefined,
  ];
  const note = notes.filter(Boolean).join('; ');
  return { url, name: model, isScripted: scripted, ...(note ? { note } : {}) };
}

interface AnsweringServer {
  url: string;
  /** Version of the server; empty if the server did not report it. */
  version: string;
  /** The installed models that this server may run. */
  installedModels: InstalledModel[];
}

/** Returns the configured servers that answer. If none answers, throws the failure of the first server. */
async function findAnsweringServers({
  ollama,
}: Config): Promise<[first: AnsweringServer, ...others: AnsweringServer[]]> {
  const signal = createTimeoutSignal(PREFLIGHT_TIMEOUT_MS);
  const results = await Promise.all(
    listConfiguredServers(ollama).map(async (settings) => {
      const server = createOllamaServer({ baseUrl: settings.url });
      const [version, installedList] = await Promise.all([server.version(signal), server.list(signal)]);
      if (!installedList.ok) return installedList.failure;
      const installedModels = installedList.value.filter(({ name }) => isModelAllowed(settings, name));
      return { url: settings.url, version: version.ok ? version.value : '', installedModels };
    }),
  );
  const [first, ...others] = results.filter((one) => 'installedModels' in one);
  if (first) return [first, ...others];
  const failure = results.find((one) => 'code' in one);
  if (!failure) throw new Error('no model server is configured');
  throw createPreflightError(failure.code, failure.message);
}
