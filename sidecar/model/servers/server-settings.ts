/** The model servers that tasks are shared among (`ollama.url`, `ollama.endpoints`). */
import { normalizeUrl } from '../../addresses/ollama-url.ts';
import { isSameModel } from '../choose-model.ts';

export interface ServerSettings {
  /** Normalized base URL. */
  readonly url: string;
  /** Calls at once. */
  readonly slots: number;
  /** The models that it is asked for; undefined: all that it has. */
  readonly models?: readonly string[] | undefined;
}

/** The configured servers in the operator's order: those of `ollama.endpoints`, else the one of `ollama.url`. */
export function configuredServers({
  url,
  slots,
  endpoints = [],
}: {
  url: string;
  slots: number;
  endpoints?: readonly { url: string; concurrency: number; models?: readonly string[] | undefined }[];
}): ServerSettings[] {
  if (endpoints.length === 0) return [{ url: normalizeUrl(url), slots }];
  return endpoints.map(({ concurrency, models, ...one }) => ({
    url: normalizeUrl(one.url),
    slots: concurrency,
    models,
  }));
}

/** Whether the operator lets the server be asked for the model. */
export const isAskedFor = ({ models }: ServerSettings, model: string): boolean =>
  models === undefined || models.some((name) => isSameModel(name, model));
