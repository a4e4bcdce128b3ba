/**
 * Which model a task gets. Pure: the rules over what is installed, so that every case can be
 * tested by equality and the worker, the CLI and the planner share one answer.
 */
import type { Outcome } from '../ports.ts';
import { nearest } from '../values/nearest.ts';
import type { MachineMemory } from '../system/machine-memory.ts';
import type { ModelCatalog } from './catalog.ts';
import { fitOf, recommend } from './recommend.ts';

export interface ModelWish {
  /** `routing_decision.selected_model`. */
  named?: string;
  /** `metadata.task_type`. */
  taskType?: string;
  /** `model.default` of the configuration. */
  configuredDefault?: string;
  /** When the named model is not installed. */
  onMissing?: 'fail' | 'fallback';
  /** The model was named for another server than this one: only a wish, whatever `onMissing` says. */
  isForeign?: boolean;
  /** Models that have turned out not to chat. */
  unusable?: ReadonlySet<string>;
  /** A named model or the default will be pulled; what a rule prefers is not worth a download. */
  autoPull?: boolean;
  /** Take any usable model rather than fail: for a person at a terminal, not for a worker. */
  anyUsable?: boolean;
  /** The machine of the model server, where it is known: without a configured default the model is one that it runs well. */
  machine?: MachineMemory | undefined;
}

export interface ModelChoice {
  model: string;
  /** Set when it is not what was wished for; for the log and the timeline. */
  warning?: string;
}

interface Installed {
  name: string;
  sizeBytes?: number;
  capabilities?: readonly string[];
}

/**
 * The model for a task, or why there is none: `model_not_found` with what is installed. Never one that cannot chat: a hub
 * may name the first of a server's list, which on many machines is an embedding model.
 */
export function chooseModel(
  wish: ModelWish,
  all: readonly Installed[],
  catalog: ModelCatalog,
): Outcome<ModelChoice> {
  const cannotChat = (model: Installed) => wish.unusable?.has(model.name) === true || isEmbedding(model);
  const installed = all.filter((model) => !cannotChat(model));
  const there = (model: string | undefined): model is string =>
    model !== undefined && isInstalled(model, installed);
  const { named, taskType } = wish;
  const isWish = wish.isForeign === true || (named !== undefined && cannotChat({ name: named }));
  if (named !== undefined && named !== '') {
    if (there(named) || (wish.autoPull === true && !isWish))
      return { ok: true, value: { model: spelledAsInstalled(named, installed) } };
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
 * The model where none is configured: the user's own default, else a recommended one or the usual one that is installed,
 * else the best of those that are installed and fit. Where nothing is installed, the one to get.
 */
function defaultFor(
  machine: MachineMemory | undefined,
  installed: readonly Installed[],
  catalog: ModelCatalog,
): string {
  if (catalog.ownDefault !== undefined) return catalog.ownDefault;
  const recommended = machine ? recommend(machine).map(({ name }) => name) : [];
  const fits = ({ sizeBytes = 0 }: Installed) => !machine || fitOf(sizeBytes, machine) !== 'too large';
  const fitting = installed.filter(fits);
  const usual = [...recommended, catalog.default];
  const found = usual.find((name) => isInstalled(name, fitting));
  const best = chooseUsableModel(fitting, catalog) ?? chooseUsableModel(installed, catalog);
  return found ?? best ?? usual[0] ?? '';
}

/** The first model of a ladder that can be had, and those before it that are not installed. */
export function chooseFromLadder(
  ladder: readonly string[],
  all: readonly Installed[],
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

/** The model for one stage of a task: the rule's for `stageType` when it is installed, else the task's own. */
export function chooseStageModel(
  stageType: string,
  taskModel: string,
  installed: readonly Installed[],
  catalog: ModelCatalog,
): string {
  const wished = catalog.modelForTaskType(stageType);
  return wished !== undefined && isInstalled(wished, installed) ? wished : taskModel;
}

/** Best of what is installed for agentic coding, or undefined when nothing can chat. */
export function chooseUsableModel(
  installed: readonly Installed[],
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

function score(model: Installed, catalog: ModelCatalog): number {
  const { known, capabilities } = catalog.entry(model.name);
  const reported = model.capabilities ?? (known ? capabilities : undefined);
  const hasTools = reported ? reported.includes('tools') : TOOL_FAMILIES.test(model.name);
  return (hasTools ? 4 : 0) + (CODING_FAMILIES.test(model.name) ? 2 : 0) + (known ? 1 : 0);
}

/** Whether the model embeds texts and cannot chat, as far as its name or its capabilities show. */
export const isEmbedding = ({ name, capabilities }: Installed): boolean =>
  capabilities ? !capabilities.includes('completion') : /embed|minilm|\bbge\b|bge-|e5-/i.test(name);

/** Compares names as Ollama does: one without a tag means `:latest`, and case does not matter. */
export const isSameModel = (a: string, b: string): boolean =>
  fullName(a).toLowerCase() === fullName(b).toLowerCase();

const fullName = (name: string): string =>
  name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;

/** Returns the name as the server has it if it differs by case alone: older servers find no other. */
function spelledAsInstalled(model: string, installed: readonly Installed[]): string {
  const same = installed.filter(({ name }) => isSameModel(name, model));
  if (same.length === 0 || same.some(({ name }) => fullName(name) === fullName(model))) return model;
  return same[0]?.name ?? model;
}

const isInstalled = (model: string, installed: readonly Installed[]): boolean =>
  installed.some(({ name }) => isSameModel(name, model));

function missing(model: string, installed: readonly Installed[]): Outcome<ModelChoice> {
  const names = installed.map(({ name }) => name);
  const meant = nearest(model, names);
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
