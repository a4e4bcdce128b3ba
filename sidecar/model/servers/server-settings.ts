/** Settings of the model servers (`ollama.url`, `ollama.endpoints`). */
import { normalizeOllamaUrl } from '../../base/addresses/ollama-url.ts';
import { isSameModel } from '../choose-model.ts';

export interface ServerSettings {
  /** Normalized base URL. */
  readonly url: string;
  /** Maximum number of concurrent calls. */
  readonly slots: number;
  /** The models to use on this server; undefined for all. */
  readonly models?: readonly string[] | undefined;
}

/** Returns the servers in configured order: those of `ollama.endpoints`, else the one of `ollama.url`. */
export function listConfiguredServers({
  url,
  slots,
  endpoints = [],
}: {
  url: string;
  slots: number;
  endpoints?: readonly { url: string; concurrency: number; models?: readonly string[] | undefined }[];
}): ServerSettings[] {
  if (endpoints.length === 0) return [{ url: normalizeOllamaUrl(url), slots }];
  return endpoints.map(({ concurrency, models, ...endpoint }) => ({
    url: normalizeOllamaUrl(endpoint.url),
    slots: concurrency,
    models,
  }));
}

/** Returns whether the configuration allows the model on this server. */
export const isModelAllowed = ({ models }: ServerSettings, model: string): boolean =>
  models === undefined || models.some((name) => isSameModel(name, model));
