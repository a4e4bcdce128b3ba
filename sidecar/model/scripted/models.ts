/**
 * The installed and loaded models of a scripted server, and their form in Ollama's API. Everything is marked `scripted`, so
 * that no caller mistakes it for a real model.
 */
import { createHash } from 'node:crypto';
import type { ScriptedModelSpec } from './scenario.ts';

const SCRIPTED_FAMILY = 'scripted';
export const SCRIPTED_VERSION = '0.0.0-scripted';
/** Ollama's default window for requests without `num_ctx`, in tokens. */
const DEFAULT_CONTEXT = 4096;

/** Returns whether `/api/version` identifies a scripted server; no Ollama server has this version. */
export const isScriptedVersion = (version: string): boolean => version === SCRIPTED_VERSION;

export class ModelStore {
  readonly #specs: readonly ScriptedModelSpec[];
  readonly #installedModels: Map<string, ScriptedModelSpec>;
  /** Windows of the loaded models, in tokens. */
  readonly #loadedWindows = new Map<string, number>();

  constructor(specs: readonly ScriptedModelSpec[]) {
    this.#specs = specs;
    this.#installedModels = new Map(specs.filter((spec) => spec.installed).map((spec) => [spec.name, spec]));
  }

  /** Returns an installed model by name; a name without a tag means `:latest`. */
  find(name: string): ScriptedModelSpec | undefined {
    return this.#installedModels.get(name) ?? this.#installedModels.get(`${name}:latest`);
  }

  install(name: string): ScriptedModelSpec | undefined {
    const spec = this.#specs.find((one) => one.name === name || one.name === `${name}:latest`);
    if (spec) this.#installedModels.set(spec.name, spec);
    return spec;
  }

  /** Removes a model; false if it is not installed. */
  remove(name: string): boolean {
    this.unload(name);
    return this.#installedModels.delete(name);
  }

  /** Loads a model with the requested window. Returns whether the loaded window changed. */
  load(model: ScriptedModelSpec, numCtx: unknown): boolean {
    const requestedTokens = typeof numCtx === 'number' ? numCtx : DEFAULT_CONTEXT;
    const window = Math.min(requestedTokens, model.contextLength, model.loadedContext ?? Infinity);
    const hasChanged = this.#loadedWindows.get(model.name) !== window;
    this.#loadedWindows.set(model.name, window);
    return hasChanged;
  }

  unload(name: string): void {
    this.#loadedWindows.delete(name);
  }

  /** Returns the window of the loaded model, in tokens. */
  windowOf(model: ScriptedModelSpec): number {
    return this.#loadedWindows.get(model.name) ?? DEFAULT_CONTEXT;
  }

  listInstalled(): object {
    return { models: [...this.#installedModels.values()].map(buildTag) };
  }

  listRunning(): object {
    const models = [...this.#loadedWindows].flatMap(([name, window]) => {
      const model = this.find(name);
      return model ? [buildRunningModel(model, window)] : [];
    });
    return { models };
  }
}

const buildDetails = (model: ScriptedModelSpec) => ({
  parent_model: '',
  format: SCRIPTED_FAMILY,
  family: SCRIPTED_FAMILY,
  families: [SCRIPTED_FAMILY],
  parameter_size: model.parameterSize,
  quantization_level: 'none',
});

const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');

const buildTag = (model: ScriptedModelSpec) => ({
  name: model.name,
  model: model.name,
  modified_at: new Date(0).toISOString(),
  size: model.sizeBytes,
  digest: hashOf(model.name),
  details: buildDetails(model),
});

const buildRunningModel = (model: ScriptedModelSpec, window: number) => ({
  ...buildTag(model),
  expires_at: new Date(Date.now() + 300_000).toISOString(),
  size_vram: model.sizeBytes,
  context_length: window,
});

/** Returns the response of `/api/show`. */
export const buildShowResponse = (model: ScriptedModelSpec): object => ({
  license: 'none: a scripted model, its answers are written in a scenario',
  modelfile: '',
  parameters: '',
  template: '{{ .Prompt }}',
  details: buildDetails(model),
  model_info: {
    'general.architecture': SCRIPTED_FAMILY,
    [`${SCRIPTED_FAMILY}.context_length`]: model.contextLength,
  },
  capabilities: model.capabilities,
  ...(model.requires !== undefined && { requires: model.requires }),
});

/** Returns the lines of a successful pull. */
export const buildPullLines = (model: ScriptedModelSpec): object[] => {
  const layer = {
    status: `pulling ${hashOf(model.name).slice(0, 12)}`,
    digest: `sha256:${hashOf(model.name)}`,
  };
  const steps = [0, 0.25, 0.5, 0.75, 1].map((part) => ({
    ...layer,
    total: model.sizeBytes,
    completed: Math.round(model.sizeBytes * part),
  }));
  return [
    { status: 'pulling manifest' },
    ...steps,
    { status: 'verifying sha256 digest' },
    { status: 'writing manifest' },
    { status: 'success' },
  ];
};
