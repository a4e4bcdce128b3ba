/** Decides whether the model servers have a model for tasks that name none. */
import type { Config } from '../base/config/schema.ts';
import { chooseFromLadder, chooseUsableModel } from '../model/choose-model.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { ModelServers } from '../model/servers/model-servers.ts';

export interface UsableModelsOptions {
  config: Pick<Config, 'model' | 'ollama'>;
  catalog: ModelCatalog;
  servers: Pick<ModelServers, 'installed'>;
}

/**
 * Returns why the servers have no model for tasks that name none; undefined if they have one, or if a server has not
 * reported its models.
 */
export function explainNoUsableModel({ config, catalog, servers }: UsableModelsOptions): string | undefined {
  const { model, ollama } = config;
  const { installed } = servers;
  if (ollama.autoPull || installed === undefined) return undefined;
  const { default: defaultModel, ladder } = model;
  const candidates = ladder.length > 0 ? ladder : defaultModel === undefined ? [] : [defaultModel];
  const names = installed.map(({ name }) => name).join(', ') || 'none';
  if (candidates.length === 0) {
    const usableModel = chooseUsableModel(installed, catalog);
    return usableModel === undefined
      ? `no installed model can chat (installed: ${names}); \`ollama-sidecar models recommend\` names models to pull`
      : undefined;
  }
  if (chooseFromLadder(candidates, installed).model !== undefined) return undefined;
  const [first] = candidates;
  return `model ${first} is not installed; run \`ollama pull ${first}\` (installed: ${names})`;
}
