/**
 * The options of a call besides its messages: window, temperature, thinking, way of
 * calling tools. Pure. The window is decided once per task and is the same in every call, since another
 * `num_ctx` would make the server load the model again.
 */
import type { CatalogEntry } from './catalog.ts';
import type { ChatPurpose, Think } from './catalog-schema.ts';
import type { ModelDetails, ModelOptions } from './chat.ts';

const TEMPERATURE: Record<ChatPurpose, number> = { agentic: 0.2, planning: 0.3, summary: 0.1, simple: 0.2 };
const MAX_STRUCTURED_TEMPERATURE = 0.2;

/** The window to ask for: the smallest of the configuration, the training and the catalogue. */
export function chooseNumCtx(
  maxContextTokens: number,
  entry: CatalogEntry,
  trainedTokens: number | undefined,
): number {
  return Math.min(
    maxContextTokens,
    trainedTokens ?? Infinity,
    // An entry made of defaults knows nothing that the server does not know better.
    entry.known || trainedTokens === undefined ? entry.contextWindow : Infinity,
  );
}

export type ToolMode = 'native' | 'structured' | 'text';

/** The first mode that is not `auto`: configured, the catalogue's, what the capabilities say. */
export function chooseToolMode(
  configured: ToolMode | 'auto' | undefined,
  entry: CatalogEntry,
  details: Pick<ModelDetails, 'capabilities'>,
): ToolMode {
  if (configured !== undefined && configured !== 'auto') return configured;
  if (entry.toolMode !== 'auto') return entry.toolMode;
  // A server that reports no capabilities is an old one: it refuses tools with a 400 if it must.
  const { capabilities } = details;
  return capabilities.length === 0 || capabilities.includes('tools') ? 'native' : 'structured';
}

/** Options of a call, frozen. The catalogue's win, but a grammar gets no more than a low temperature. */
export function optionsFor(
  purpose: ChatPurpose,
  structured: boolean,
  entry: CatalogEntry,
  numCtx: number,
): ModelOptions {
  const options: Record<string, unknown> = {
    temperature: TEMPERATURE[purpose],
    ...entry.options,
    num_ctx: numCtx,
  };
  const { temperature } = options;
  if (structured && typeof temperature === 'number' && temperature > MAX_STRUCTURED_TEMPERATURE) {
    options['temperature'] = MAX_STRUCTURED_TEMPERATURE;
  }
  return Object.freeze(options);
}

/** How one answer is drawn. */
export interface Sampling {
  temperature?: number;
  /** Makes the answer repeatable: the same prompt and seed give the same text on the same server. */
  seed?: number;
  /** Tokens after which the server ends the answer (`doneReason` is `length` then). */
  maxTokens?: number;
  /** Texts that end the answer; they are not part of it. */
  stop?: readonly string[];
}

/** The options of a call with what this one answer wants instead. Frozen. */
export function withSampling(
  options: ModelOptions | undefined,
  sampling: Sampling | undefined,
): ModelOptions | undefined {
  if (!sampling) return options;
  const { temperature, seed, maxTokens, stop } = sampling;
  return Object.freeze({
    ...options,
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(stop && { stop }),
  });
}

/** Always explicit; false where the model says that it cannot think (the server would refuse the call). */
export function thinkFor(purpose: ChatPurpose, entry: CatalogEntry, capabilities: readonly string[]): Think {
  const { think } = entry;
  const wanted = typeof think === 'object' ? (think[purpose] ?? false) : think;
  return capabilities.length > 0 && !capabilities.includes('thinking') ? false : wanted;
}
