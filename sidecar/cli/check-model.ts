/**
 * Looks before a task is begun whether the model server answers and has a model to use. Throws `CommandError`
 * (preflight), `CatalogError` for a user's `models.json` that cannot be used.
 */
import { join } from 'node:path';
import { userConfigDir } from '../config/layers.ts';
import type { Config } from '../config/schema.ts';
import { ModelCatalog } from '../model/catalog.ts';
import { chooseFromLadder, chooseModel } from '../model/choose-model.ts';
import { endpointsOf } from '../model/endpoints.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { isScriptedVersion } from '../scripted-model/detection.ts';
import { CommandError, EXIT } from './exit-codes.ts';

const PREFLIGHT_TIMEOUT_MS = 5_000;

export interface CheckedModel {
  url: string;
  name: string;
  scripted: boolean;
  /** What the user should know: another model than the requested one, or a scripted server. */
  note?: string;
}

/** The model that a task without further wishes gets; `named` must be installed, of a `ladder` the first that is. */
export async function checkModel(
  config: Config,
  named?: string,
  ladder: readonly string[] = [],
): Promise<CheckedModel> {
  const { url, version, installed } = await firstThatAnswers(config);
  if (!installed.ok)
    throw new CommandError(EXIT.preflight, installed.failure.code, installed.failure.message);
  const choice = chooseModel(
    {
      named: named ?? chooseFromLadder(ladder, installed.value).model,
      configuredDefault: config.model.default,
      onMissing: config.model.onMissing,
      autoPull: config.ollama.autoPull,
      anyUsable: true,
    },
    installed.value,
    await ModelCatalog.load({ userFile: join(userConfigDir(), 'models.json') }),
  );
  if (!choice.ok) throw new CommandError(EXIT.preflight, choice.failure.code, choice.failure.message);
  const scripted = version.ok && isScriptedVersion(version.value);
  const notes = [
    choice.value.warning,
    scripted ? `${url} is a scripted model: its answers are not a model's` : undefined,
  ];
  const note = notes.filter(Boolean).join('; ');
  return { url, name: choice.value.model, scripted, ...(note ? { note } : {}) };
}

/** The first of the configured servers that tells what is installed; else the first one, with its failure. */
async function firstThatAnswers({ ollama }: Config) {
  const signal = AbortSignal.timeout(PREFLIGHT_TIMEOUT_MS);
  const asked = await Promise.all(
    endpointsOf(ollama).map(async ({ url }) => {
      const server = createOllamaServer({ baseUrl: url });
      const [version, installed] = await Promise.all([server.version(signal), server.list(signal)]);
      return { url, version, installed };
    }),
  );
  const [first] = asked;
  if (!first) throw new Error('no model server is configured');
  return asked.find(({ installed }) => installed.ok) ?? first;
}
