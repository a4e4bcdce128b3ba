/**
 * The options of a call besides its messages: window, temperature, thinking, tool mode. Pure. The window is fixed once
 * per task, because another `num_ctx` would make the server reload the model.
 */
import type { CatalogEntry } from './catalog.ts';
import type { ChatPurpose, Think } from './catalog-schema.ts';
import type { ModelDetails, ModelOptions } from './chat.ts';

const TEMPERATURES: Record<ChatPurpose, number> = { agentic: 0.2, planning: 0.3, summary: 0.1, simple: 0.2 };
const MAX_STRUCTURED_TEMPERATURE = 0.2;

/** Returns the window in tokens: the smallest of the configured, the trained and the catalog's limit. */
export function chooseNumCtx(
  maxContextTokens: number,
  entry: CatalogEntry,
  trainedTokens: number | undefined,
): number {
  return Math.min(
    maxContextTokens,
    trainedTokens ?? Infinity,
    // A default entry is less precise than the server's report.
    entry.isKnown || trainedTokens === undefined ? entry.contextWindow : Infinity,
  );
}

export type ToolMode = 'native' | 'structured' | 'text';

/**
 * Returns the tool mode: the configured one, else the catalog's, else `native` or `structured` by the model's
 * capabilities. `auto` counts as unset.
 */
export function chooseToolMode(
  configured: ToolMode | 'auto' | undefined,
  entry: CatalogEntry,
  details: Pick<ModelDetails, 'capabilities'>,
): ToolMode {
  if (configured !== undefined && configured !== 'auto') return configured;
  if (entry.toolMode !== 'auto') return entry.toolMode;
  // Only old servers report no capabilities; they refuse tools with status 400.
  const { capabilities } = details;
  return capabilities.length === 0 || capabilities.includes('tools') ? 'native' : 'structured';
}

/**
 * Returns the frozen options of a call. The catalog's options override those of the purpose, but structured mode limits
 * the temperature.
 */
export function buildOptions(
  purpose: ChatPurpose,
  isStructured: boolean,
  entry: CatalogEntry,
  numCtx: number,
): ModelOptions {
  const options: Record<string, unknown> = {
    temperature: TEMPERATURES[purpose],
    ...entry.options,
    num_ctx: numCtx,
  };
  const { temperature } = options;
  if (isStructured && typeof temperature === 'number' && temperature > MAX_STRUCTURED_TEMPERATURE) {
    options['temperature'] = MAX_STRUCTURED_TEMPERATURE;
  }
  return Object.freeze(options);
}

/** Sampling of one answer. */
export interface Sampling {
  temperature?: number;
  /** Makes the answer reproducible: the same prompt and seed give the same text on the same server. */
  seed?: number;
  /** Maximum number of tokens, after which the server ends the answer (`doneReason` is then `length`). */
  maxTokens?: number;
  /** Texts that end the answer and are not part of it. */
  stop?: readonly string[];
}

/** Returns the frozen options of a call, overridden for one answer. */
export function applySampling(
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

/** Returns the explicit `think` value; false if the model cannot think, because the server would refuse the call. */
export function chooseThink(
  purpose: ChatPurpose,
  entry: CatalogEntry,
  capabilities: readonly string[],
): Think {
  const { think } = entry;
  const configuredThink = typeof think === 'object' ? (think[purpose] ?? false) : think;
  return capabilities.length > 0 && !capabilities.includes('thinking') ? false : configuredThink;
}
