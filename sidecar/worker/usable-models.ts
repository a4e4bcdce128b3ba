/** Whether the model servers have a model for tasks that name none: a worker without one is not ready. */
import type { Config } from '../config/schema.ts';
import { chooseFromLadder, chooseUsableModel } from '../model/choose-model.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { InstalledModel } from '../model/chat.ts';
import type { Clock, ModelServer } from '../ports.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { every } from '../system/clock.ts';

const LOOK_EVERY_MS = 30_000;
const TIMEOUT_MS = 3_000;

export interface UsableModelsOptions {
  config: Pick<Config, 'model' | 'ollama'>;
  catalog: ModelCatalog;
  clients: readonly Pick<ModelServer, 'list'>[];
}

/** Returns why tasks find no model, or undefined; also where no server answers, which is another reason. */
export async function missingModel({
  config,
  catalog,
  clients,
}: UsableModelsOptions): Promise<string | undefined> {
  const { model, ollama } = config;
  if (ollama.autoPull) return undefined;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const lists = await Promise.all(clients.map((client) => client.list(signal)));
  const answered = lists.flatMap((list) => (list.ok ? [list.value] : []));
  // A server that does not answer may have it.
  if (answered.length < lists.length) return undefined;
  return missingOf(answered.flat(), model, catalog);
}

function missingOf(
  installed: readonly InstalledModel[],
  { default: usual, ladder }: Config['model'],
  catalog: ModelCatalog,
): string | undefined {
  const wanted = ladder.length > 0 ? ladder : usual === undefined ? [] : [usual];
  const names = installed.map(({ name }) => name).join(', ') || 'none';
  if (wanted.length === 0) {
    const found = chooseUsableModel(installed, catalog);
    return found === undefined ? `no model is installed that can chat (installed: ${names})` : undefined;
  }
  if (chooseFromLadder(wanted, installed).model !== undefined) return undefined;
  const [first] = wanted;
  return `model ${first} is not installed; run \`ollama pull ${first}\` (installed: ${names})`;
}

/** Why tasks that name no model find none. */
export interface UsableModels {
  missing: string | undefined;
}

/** Looks from time to time until `opened` is closed, and calls `onChange` with each other answer than the one before. */
export function watchUsableModels(
  options: UsableModelsOptions & UsableModels & { clock: Clock; onChange: () => void },
  opened: CleanupStack,
): UsableModels {
  const models = { missing: options.missing };
  const look = async (): Promise<void> => {
    const { missing } = models;
    models.missing = await missingModel(options);
    if (models.missing !== missing) options.onChange();
  };
  opened.add(every(options.clock, LOOK_EVERY_MS, () => void look()));
  return models;
}
