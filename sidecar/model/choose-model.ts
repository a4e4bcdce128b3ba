/**
 * Chooses the model of a task by rules over the installed models. Pure, so that every case can be tested and the
 * worker, the CLI and the planner choose the same model.
 */
import { findNearest } from '../base/values/nearest.ts';
import type { MachineMemory } from '../base/system/machine-memory.ts';
import type { ModelCatalog } from './catalog.ts';
import { fitOf, recommendModels } from './recommend.ts';
import type { Outcome } from '../base/values/outcome.ts';

export interface ModelRequirements {
  /** Model that the task names (`routing_decision.selected_model`). */
  namedModel?: string;
  /** Kind of the task (`metadata.task_type`), for which a rule may name a model. */
  taskType?: string;
  /** Default model of the configuration (`model.default`). */
  configuredDefault?: string;
  /** The reaction if the named model is not installed. */
  onMissing?: 'fail' | 'fallback';
  /** Whether the model was named for another server. If so, the name is only a preference, whatever `onMissing` is. */
  isNamedForOtherServer?: boolean;
  /** Models that turned out to be unable to chat. */
  unusableModels?: ReadonlySet<string>;
  /** Whether a named model or the default may be pulled; a rule's model is not worth a download. */
  autoPull?: boolean;
  /** Whether to take any usable model rather than fail: for a user at a terminal, not for a worker. */
  mayUseAny?: boolean;
  /** The model server's machine, if known: without a configured default, a model that it runs well is chosen. */
  machine?: MachineMemory | undefined;
}

export interface ModelChoice {
  model: string;
  /** Set if `model` is not the preferred model; for the log and the timeline. */
  warning?: string;
}

interface ListedModel {
  name: string;
  sizeBytes?: number;
  capabilities?: readonly string[];
}

/**
 * Returns the model for a task, or `model_not_found` with the installed models. Never returns a model that cannot chat:
 * a hub may name the first model of a server's list, which is often an embedding model.
 */
export function chooseModel(
  preferences: ModelRequirements,
  listedModels: readonly ListedModel[],
  catalog: ModelCatalog,
): Outcome<ModelChoice> {
  const cannotChat = (model: ListedModel) =>
    preferences.unusableModels?.has(model.name) === true || isEmbedding(model);
  const installed = listedModels.filter((model) => !cannotChat(model));
  const isAvailable = (model: string | undefined): model is string =>
    model !== undefined && isInstalled(model, installed);
  const { namedModel, taskType } = preferences;
  const isPreference =
    preferences.isNamedForOtherServer === true ||
    (namedModel !== undefined && cannotChat({ name: namedModel }));
  if (namedModel !== undefined && namedModel !== '') {
    if (isAvailable(namedModel) || (preferences.autoPull === true && !isPreference))
      return { ok: true, value: { model: findInstalledSpelling(namedModel, installed) } };
    if (preferences.onMissing !== 'fallback' && !isPreference)
      return buildNotInstalledFailure(namedModel, installed);
  }
  const defaultModel =
    preferences.configuredDefault || chooseDefault(preferences.machine, installed, catalog);
  const requestedModel = namedModel || catalog.findModelForTaskType(taskType);
  const candidates = [catalog.findModelForTaskType(taskType), defaultModel];
  const model =
    candidates.find(isAvailable) ??
    (preferences.mayUseAny || isPreference ? chooseUsableModel(installed, catalog) : undefined) ??
    (preferences.autoPull ? defaultModel : undefined);
  if (model === undefined) return buildNotInstalledFailure(requestedModel ?? defaultModel, installed);
  const preferred = requestedModel ?? defaultModel;
  if (model === preferred) return { ok: true, value: { model } };
  const problem = isInstalled(preferred, listedModels) ? 'cannot chat' : 'is not installed';
  return { ok: true, value: { model, warning: `model ${preferred} ${problem}; using ${model}` } };
}

/**
 * Returns the model if none is configured: the user's own default, else a recommended or usual model that is installed,
 * else the best installed model that fits, else the model to pull.
 */
function chooseDefault(
  machine: MachineMemory | undefined,
  installed: readonly ListedModel[],
  catalog: ModelCatalog,
): string {
  if (catalog.userDefault !== undefined) return catalog.userDefault;
  const recommended = machine ? recommendModels(machine).map(({ name }) => name) : [];
  const fits = ({ sizeBytes = 0 }: ListedModel) => !machine || fitOf(sizeBytes, machine) !== 'too large';
  const fitting = installed.filter(fits);
  const usualModels = [...recommended, catalog.default];
  const installedUsual = usualModels.find((name) => isInstalled(name, fitting));
  const best = chooseUsableModel(fitting, catalog) ?? chooseUsableModel(installed, catalog);
  return installedUsual ?? best ?? usualModels[0] ?? '';
}

/** Returns the first available model of a ladder, and the models before it that are not installed. */
export function chooseFromLadder(
  ladder: readonly string[],
  listedModels: readonly ListedModel[],
  { unusableModels, autoPull = false }: Pick<ModelRequirements, 'unusableModels' | 'autoPull'> = {},
): { model?: string; missing: string[] } {
  const missing: string[] = [];
  for (const model of ladder) {
    if (unusableModels?.has(model)) continue;
    if (autoPull || isInstalled(model, listedModels)) return { model, missing };
    missing.push(model);
  }
  return { missing };
}

/** Returns the model for one stage: the rule's for `stageType` if it is installed, else the task's. */
export function chooseStageModel(
  stageType: string,
  taskModel: string,
  installed: readonly ListedModel[],
  catalog: ModelCatalog,
): string {
  const preferred = catalog.findModelForTaskType(stageType);
  return preferred !== undefined && isInstalled(preferred, installed) ? preferred : taskModel;
}

/** Returns the best installed model for agentic coding; undefined if none can chat. */
export function chooseUsableModel(
  installed: readonly ListedModel[],
  catalog: ModelCatalog,
): string | undefined {
  const usable = installed.filter((model) => !isEmbedding(model));
  const ranked = usable.toSorted(
    (a, b) => rankModel(b, catalog) - rankModel(a, catalog) || (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0),
  );
  return ranked[0]?.name;
}

const TOOL_FAMILIES =
  /qwen|llama-?3\.[1-9]|llama-?4|mistral|mixtral|devstral|gpt-oss|granite|command-r|hermes|nemotron|glm|deepseek-v3|scripted/i;
const CODING_FAMILIES = /cod(e|er|ing)|devstral/i;

function rankModel(model: ListedModel, catalog: ModelCatalog): number {
  const { isKnown, capabilities } = catalog.findEntry(model.name);
  const reported = model.capabilities ?? (isKnown ? capabilities : undefined);
  const hasTools = reported ? reported.includes('tools') : TOOL_FAMILIES.test(model.name);
  return (hasTools ? 4 : 0) + (CODING_FAMILIES.test(model.name) ? 2 : 0) + (isKnown ? 1 : 0);
}

/** Returns whether the model only embeds texts, judged by its capabilities or name. */
export const isEmbedding = ({ name, capabilities }: ListedModel): boolean =>
  capabilities ? !capabilities.includes('completion') : /embed|minilm|\bbge\b|bge-|e5-/i.test(name);

/** Returns whether two names are of the same model. As in Ollama, a name without a tag means `:latest`, and case is ignored. */
export const isSameModel = (first: string, second: string): boolean =>
  addDefaultTag(first).toLowerCase() === addDefaultTag(second).toLowerCase();

const addDefaultTag = (name: string): string =>
  name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;

/** Returns the server's spelling of a name that differs only by case: older servers do not find any other spelling. */
function findInstalledSpelling(model: string, installed: readonly ListedModel[]): string {
  const same = installed.filter(({ name }) => isSameModel(name, model));
  if (same.length === 0 || same.some(({ name }) => addDefaultTag(name) === addDefaultTag(model)))
    return model;
  return same[0]?.name ?? model;
}

const isInstalled = (model: string, installed: readonly ListedModel[]): boolean =>
  installed.some(({ name }) => isSameModel(name, model));

function buildNotInstalledFailure(model: string, installed: readonly ListedModel[]): Outcome<ModelChoice> {
  const names = installed.map(({ name }) => name);
  const suggestion = findNearest(model, names);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return {
    ok: false,
    failure: {
      code: 'model_not_found',
      message: `model ${model} is not installed; run \`ollama pull ${model}\` (installed: ${names.join(', ') || 'none'})${hint}`,
      retryable: false,
    },
  };
}
