/** The model servers that tasks are shared among (`ollama.endpoints`). */
import { normalizeUrl } from '../addresses/ollama-url.ts';
import { isSameModel } from './choose-model.ts';

export interface Endpoint {
  /** Normalized base URL. */
  readonly url: string;
  /** Calls at once; undefined: to be found out. */
  readonly concurrency?: number | undefined;
  /** The models that it is asked for; undefined: all that it has. */
  readonly models?: readonly string[];
}

/** The configured servers in the operator's order: those of `ollama.endpoints`, else the one of `ollama.url` with its `slots`. */
export function endpointsOf({
  url,
  slots,
  endpoints = [],
}: {
  url: string;
  slots?: number | undefined;
  endpoints?: readonly { url: string; concurrency: number; models?: readonly string[] }[];
}): Endpoint[] {
  if (endpoints.length === 0) return [{ url: normalizeUrl(url), concurrency: slots }];
  return endpoints.map((endpoint) => ({ ...endpoint, url: normalizeUrl(endpoint.url) }));
}

/** Whether the operator lets the server be asked for the model. */
export const isAskedFor = ({ models }: Endpoint, model: string): boolean =>
  models === undefined || models.some((name) => isSameModel(name, model));
