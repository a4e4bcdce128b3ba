/** Describes the installed models: fit, profile, measured rate and task types. */
import { findUserModelsFile } from '../base/config/layers.ts';
import type { Config } from '../base/config/schema.ts';
import { readMeasuredRates, type MeasuredRate } from './evaluate/measured-rates.ts';
import { chooseNumCtx, chooseToolMode, chooseThink, type ToolMode } from '../model/call-options.ts';
import { ModelCatalog } from '../model/catalog.ts';
import type { SolvingProfile, Think } from '../model/catalog-schema.ts';
import type { InstalledModel, ModelDetails } from '../model/chat.ts';
import { chooseModel, isSameModel } from '../model/choose-model.ts';
import { listConfiguredServers } from '../model/servers/server-settings.ts';
import { detectServerMachine } from '../model/server-machine.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { fitOf, type Fit } from '../model/recommend.ts';
import { normalizeOllamaUrl } from '../base/addresses/ollama-url.ts';
import type { MachineMemory } from '../base/system/machine-memory.ts';
import { createPreflightError } from './exit-codes.ts';
import { createTimeoutSignal } from '../base/system/clock.ts';

const TIMEOUT_MS = 10_000;
/** Name that stands for all task types without a rule of their own. */
const OTHER_TASK_TYPES = 'other';

export interface InstalledModelView {
  name: string;
  sizeBytes: number;
  parameterSize?: string;
  /** How well the model fits this machine; undefined if the server is on another machine. */
  fit?: Fit;
  /** The family's name in the catalogue; undefined for an unknown model. */
  family?: string;
  canChat: boolean;
  toolMode: ToolMode;
  /** Thinking setting of agentic calls. */
  think: Think;
  /** Requested context window. */
  windowTokens: number;
  solving: SolvingProfile;
  measured?: MeasuredRate;
  /** Values of `metadata.task_type` for which this model is chosen; `other` stands for all values without a rule. */
  taskTypes: string[];
}

/** Returns the installed models, largest first. Throws `CommandError` if the server does not answer. */
export async function listInstalledModels(config: Config): Promise<InstalledModelView[]> {
  const server = createOllamaServer({ baseUrl: normalizeOllamaUrl(config.ollama.url) });
  const installedList = await server.list(createTimeoutSignal(TIMEOUT_MS));
  if (!installedList.ok)
    throw createPreflightError(installedList.failure.code, installedList.failure.message);
  const [catalog, memory, rates, details] = await Promise.all([
    ModelCatalog.load({ userFile: findUserModelsFile() }),
    detectServerMachine(listConfiguredServers(config.ollama)),
    readMeasuredRates(),
    Promise.all(
      installedList.value.map(async ({ name }) => {
        const shownModel = await server.show(name, createTimeoutSignal(TIMEOUT_MS));
        return shownModel.ok ? shownModel.value : undefined;
      }),
    ),
  ]);
  const views = installedList.value.map((model, index) =>
    modelViewOf(model, details[index], { config, catalog, memory, rates }),
  );
  const chosenTaskTypes = findTaskTypes({ config, catalog, memory }, views);
  return views
    .map((view) => ({ ...view, taskTypes: chosenTaskTypes.get(view.name) ?? [] }))
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}

interface ViewContext {
  config: Config;
  catalog: ModelCatalog;
  memory: MachineMemory | undefined;
  rates: ReadonlyMap<string, MeasuredRate>;
}

function modelViewOf(
  { name, sizeBytes, parameterSize }: InstalledModel,
  details: ModelDetails | undefined,
  { config, catalog, memory, rates }: ViewContext,
): InstalledModelView {
  const entry = catalog.findEntry(name, {
    ...(parameterSize !== undefined && { parameterSize }),
    ...details,
  });
  const capabilities = details?.capabilities ?? entry.capabilities;
  const measured = [...rates].find(([model]) => isSameModel(model, name))?.[1];
  return {
    name,
    sizeBytes,
    ...(parameterSize !== undefined && { parameterSize }),
    ...(memory && { fit: fitOf(sizeBytes, memory) }),
    ...(entry.isKnown && { family: entry.displayName ?? name }),
    canChat: capabilities.length === 0 || capabilities.includes('completion'),
    toolMode: chooseToolMode(config.model.toolMode, entry, { capabilities }),
    think: chooseThink('agentic', entry, capabilities),
    windowTokens: chooseNumCtx(config.ollama.maxContextTokens, entry, details?.contextLength),
    solving: entry.solving,
    ...(measured && { measured }),
    taskTypes: [],
  };
}

/** Returns the task types of each model that a worker would choose, by the worker's own rules. */
function findTaskTypes(
  { config, catalog, memory: machine }: Omit<ViewContext, 'rates'>,
  views: readonly InstalledModelView[],
): Map<string, string[]> {
  const usableModels = views.filter(({ canChat }) => canChat);
  const taskTypes = new Map<string, string[]>();
  for (const taskType of [...catalog.taskTypes, OTHER_TASK_TYPES]) {
    const request = { taskType, configuredDefault: config.model.default, machine };
    const choice = chooseModel(request, usableModels, catalog);
    if (!choice.ok) continue;
    const name = usableModels.find((view) => isSameModel(view.name, choice.value.model))?.name;
    if (name !== undefined) taskTypes.set(name, [...(taskTypes.get(name) ?? []), taskType]);
  }
  return taskTypes;
}
