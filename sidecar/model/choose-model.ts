/**
 * Chooses the model of a task by rules over the installed models. Pure, so that every case can be tested and the
 * worker, the CLI and the planner share one answer.
 */
import { findNearest } from '../base/values/nearest.ts';
import type { MachineMemory } from '../base/system/machine-memory.ts';
import type { ModelCatalog } from './catalog.ts';
import { fitOf, recommend } from './recommend.ts';
import type { Outcome } from '../base/values/outcome.ts';

export interface ModelWish {
  /** `routing_decision.selected_model`. */
  named?: string;
  /** `metadata.task_type`. */
  taskType?: string;
  /** `model.default` of the configuration. */
  configuredDefault?: string;
  /** What to do if the named model is not installed. */
  onMissing?: 'fail' | 'fallback';
  /** Whether the model was named for another server: then it is only a preference, whatever `onMissing` says. */
  isForeign?: boolean;
  /** Models that turned out not to chat. */
  unusable?: ReadonlySet<string>;
  /** Whether a named model or the default may be pulled; a rule's model is not worth a download. */
  autoPull?: boolean;
  /** Whether to take any usable model rather than fail: for a user at a terminal, not for a worker. */
  anyUsable?: boolean;
  /** The model server's machine, if known: without a configured default, a model that it runs well is chosen. */
  machine?: MachineMemory | undefined;
}

export interface ModelChoice {
  model: string;
  /** Set if it is not the preferred model; for the log and the timeline. */
  warning?: string;
}

interface ListedModel {
  name: string;
  sizeBytes?: number;
  capabilities?: readonly string[];
}

/**
 * Returns the model for a task, or `model_not_found` with the installed ones. Never one that cannot chat: a hub may
 * name the first of a server's list, which is often an embedding model.
 */
export function chooseModel(
  wish: ModelWish,
  all: readonly ListedModel[],
  catalog: ModelCatalog,
): Outcome<ModelChoice> {
  const cannotChat = (model: ListedModel) => wish.unusable?.has(model.name) === true || isEmbedding(model);
  const installed = all.filter((model) => !cannotChat(model));
  const there = (model: string | undefined): model is string =>
    model !== undefined && isInstalled(model, installed);
  const { named, taskType } = wish;
  const isWish = wish.isForeign === true || (named !== undefined && cannotChat({ name: named }));
  if (named !== undefined && named !== '') {
    if (there(named) || (wish.autoPull === true && !isWish))
      return { ok: true, value: { model: installedSpelling(named, installed) } };
    if (wish.onMissing !== 'fallback' && !isWish) return missing(named, installed);
  }
  const general = wish.configuredDefault || defaultFor(wish.machine, installed, catalog);
  const first = named || catalog.modelForTaskType(taskType);
  const candidates = [catalog.modelForTaskType(taskType), general];
  const model =
    candidates.find(there) ??
    (wish.anyUsable || isWish ? chooseUsableModel(installed, catalog) : undefined) ??
    (wish.autoPull ? general : undefined);
  if (model === undefined) return missing(first ?? general, installed);
  const wished = first ?? general;
  if (model === wished) return { ok: true, value: { model } };
  const why = isInstalled(wished, all) ? 'cannot chat' : 'is not installed';
  return { ok: true, value: { model, warning: `model ${wished} ${why}; using ${model}` } };
}

/**
 * Returns the model if none is configured: the user's own default, else a recommended or usual model that is installed,
 * else the best installed model that fits, else the model to pull.
 */
function defaultFor(
  machine: MachineMemory | undefined,
  installed: readonly ListedModel[],
  catalog: ModelCatalog,
): string {
  if (catalog.ownDefault !== undefined) return catalog.ownDefault;
  const recommended = machine ? recommend(machine).map(({ name }) => name) : [];
  const fits = ({ sizeBytes = 0 }: ListedModel) => !machine || fitOf(sizeBytes, machine) !== 'too large';
  const fitting = installed.filter(fits);
  const usual = [...recommended, catalog.default];
  const found = usual.find((name) => isInstalled(name, fitting));
  const best = chooseUsableModel(fitting, catalog) ?? chooseUsableModel(installed, catalog);
  return found ?? best ?? usual[0] ?? '';
}

/** Returns the first available model of a ladder, and those before it that are not installed. */
export function chooseFromLadder(
  ladder: readonly string[],
  all: readonly ListedModel[],
  { unusable, autoPull = false }: Pick<ModelWish, 'unusable' | 'autoPull'> = {},
): { model?: string; missing: string[] } {
  const missing: string[] = [];
  for (const model of ladder) {
    if (unusable?.has(model)) continue;
    if (autoPull || isInstalled(model, all)) return { model, missing };
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
  const wished = catalog.modelForTaskType(stageType);
  return wished !== undefined && isInstalled(wished, installed) ? wished : taskModel;
}

/** Returns the best installed model for agentic coding; undefined if none can chat. */
export function chooseUsableModel(
  installed: readonly ListedModel[],
  catalog: ModelCatalog,
): string | undefined {
  const usable = installed.filter((model) => !isEmbedding(model));
  const ranked = usable.toSorted(
    (a, b) => score(b, catalog) - score(a, catalog) || (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0),
  );
  return ranked[0]?.name;
}

const TOOL_FAMILIES =
  /qwen|llama-?3\.[1-9]|llama-?4|mistral|mixtral|devstral|gpt-oss|granite|command-r|hermes|nemotron|glm|deepseek-v3|scripted/i;
const CODING_FAMILIES = /cod(e|er|ing)|devstral/i;

function score(model: ListedModel, catalog: ModelCatalog): number {
  const { known, capabilities } = catalog.entry(model.name);
  const reported = model.capabilities ?? (known ? capabilities : undefined);
  const hasTools = reported ? reported.includes('tools') : TOOL_FAMILIES.test(model.name);
  return (hasTools ? 4 : 0) + (CODING_FAMILIES.test(model.name) ? 2 : 0) + (known ? 1 : 0);
}

/** Whether the model only embeds texts, judged by its capabilities or name. */
export const isEmbedding = ({ name, capabilities }: ListedModel): boolean =>
  capabilities ? !capabilities.includes('completion') : /embed|minilm|\bbge\b|bge-|e5-/i.test(name);

/** Compares names as Ollama does: without a tag means `:latest`, and case is ignored. */
export const isSameModel = (a: string, b: string): boolean =>
  fullName(a).toLowerCase() === fullName(b).toLowerCase();

const fullName = (name: string): string =>
  name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;

/** Returns the server's spelling if it differs only by case: older servers do not find another. */
function installedSpelling(model: string, installed: readonly ListedModel[]): string {
  const same = installed.filter(({ name }) => isSameModel(name, model));
  if (same.length === 0 || same.some(({ name }) => fullName(name) === fullName(model))) return model;
  return same[0]?.name ?? model;
}

const isInstalled = (model: string, installed: readonly ListedModel[]): boolean =>
  installed.some(({ name }) => isSameModel(name, model));

function missing(model: string, installed: readonly ListedModel[]): Outcome<ModelChoice> {
  const names = installed.map(({ name }) => name);
  const meant = findNearest(model, names);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return {
    ok: false,
    failure: {
      code: 'model_not_found',
      message: `model ${model} is not installed; run \`ollama pull ${model}\` (installed: ${names.join(', ') || 'none'})${hint}`,
      retryable: false,
    },
  };
}
