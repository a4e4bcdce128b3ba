/**
 * Prepares the models of a task: chooses each model and opens its session. Failures are returned, with a message that explains the remedy.
 */
import { randomUUID } from 'node:crypto';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../../../base/addresses/ollama-url.ts';
import { chooseNumCtx } from '../../../model/call-options.ts';
import { ModelCatalog, type CatalogEntry } from '../../../model/catalog.ts';
import type { InstalledModel, ModelFailure } from '../../../model/chat.ts';
import { chooseFromLadder, chooseModel } from '../../../model/choose-model.ts';
import { ModelSession } from '../../../model/model-session.ts';
import type { ReadingSpeeds } from '../../../model/reading-speeds.ts';
import { formatRetry, runWithRetries } from '../../../model/retry.ts';
import type { MachineMemory } from '../../../base/system/machine-memory.ts';
import { createTokenEstimator } from '../../../model/token-estimate.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { openServer, type OpenedServer, type ServerSource } from './open-server.ts';
import { TaskModels, type ChosenModel, type ReadyModel } from './task-models.ts';
import { createCallEvents } from './call-events.ts';
import type { Failure, Outcome } from '../../../base/values/outcome.ts';

export interface ModelSource extends ServerSource {
  /** Default model of tasks that name none; if undefined, the configured one. */
  model?: string;
  catalog?: ModelCatalog;
  /** Memory of the machine of the model servers, if known. */
  machine?: MachineMemory | undefined;
}

/** Preferences of an attempt for its models. */
export interface ModelPreferences {
  /** Names in order of preference; the first installed one is used. */
  names: readonly string[];
  /** Missing models that the user was already warned of. */
  reportedMissing: Set<string>;
  /** Called before the chosen model is loaded, and again if another model replaces it. Must not throw. */
  onChosen?: (model: ChosenModel) => void;
}

export type OpenModelsOutcome =
  { ok: true; models: TaskModels } | { ok: false; ending: Ending; model: string };

/** Chooses and prepares the task's own model. After a failure nothing remains open. */
export async function openModels(
  run: TaskRun,
  source: ModelSource,
  preferences?: ModelPreferences,
): Promise<OpenModelsOutcome> {
  if (source.url !== undefined && !isOllamaUrl(source.url)) {
    const message = `${JSON.stringify(source.url)}: ${OLLAMA_URL_ADVICE}`;
    return { ok: false, ending: endingOfFailure(run, { code: 'config_invalid', message }), model: '' };
  }
  const { isReplaced, ...openedServer } = openServer(run, source);
  const catalog = source.catalog ?? new ModelCatalog();
  const { speeds } = source.scheduler.servers;
  const prepare = (name: string) => prepareModel(run, openedServer, { catalog, speeds }, name);
  const unusableModels = new Set<string>();
  for (;;) {
    const choice = await chooseTaskModel(run, {
      ...openedServer,
      catalog,
      fallback: source.model,
      machine: source.machine,
      preferences,
      isReplaced,
      unusableModels,
    });
    if (!choice.ok) return { ok: false, ending: endingOfFailure(run, choice.failure), model: choice.model };
    if (choice.warning) run.emit({ event_type: 'status', text: choice.warning });
    preferences?.onChosen?.(describeChosenModel(run, catalog.findEntry(choice.model), speeds));
    const { model, installedModels } = choice;
    const prepared = await prepare(model);
    run.session?.recordFacts({ model });
    if (prepared.ok) {
      return {
        ok: true,
        models: new TaskModels({ run, ownModel: prepared.value, installedModels, catalog, prepare }),
      };
    }
    // Only the server's description shows that a model embeds and cannot chat.
    if (prepared.failure.code !== 'model_cannot_chat' || unusableModels.has(model)) {
      return { ok: false, ending: endingOfFailure(run, prepared.failure), model };
    }
    unusableModels.add(model);
  }
}

const describeChosenModel = (
  { config }: TaskRun,
  entry: CatalogEntry,
  speeds: ReadingSpeeds,
): ChosenModel => ({
  name: entry.model,
  windowTokens: chooseNumCtx(config.ollama.maxContextTokens, entry, undefined),
  tokensPerSecond: speeds.speedOf(entry.model),
});

async function prepareModel(
  run: TaskRun,
  { server, hold, slots }: OpenedServer,
  { catalog, speeds }: { catalog: ModelCatalog; speeds: ReadingSpeeds },
  name: string,
): Promise<Outcome<ReadyModel, ModelFailure>> {
  const entry = catalog.findEntry(name);
  const estimator = createTokenEstimator();
  const session = new ModelSession({
    server,
    model: entry.model,
    entry,
    refineEntry: (details) => catalog.findEntry(name, details),
    limits: run.config.ollama,
    toolMode: run.config.model.toolMode,
    clock: run.clock,
    onProgress: run.emit,
    estimator,
    callObserver: createCallEvents(run.emit, entry.model, () => `model-${randomUUID()}`),
    signal: run.control.signal,
    hold,
  });
  const prepared = await session.prepare();
  if (!prepared.ok) return prepared;
  const { toolMode, entry: refinedEntry } = prepared.value;
  return {
    ok: true,
    value: {
      name: entry.model,
      entry: refinedEntry,
      toolMode,
      session,
      slots,
      estimator,
      tokensPerSecond: speeds.speedOf(entry.model),
    },
  };
}

type ModelChoice =
  | { ok: true; model: string; warning?: string; installedModels: InstalledModel[] }
  | { ok: false; model: string; failure: Failure };

interface ChoiceInput extends OpenedServer {
  catalog: ModelCatalog;
  /** Default model, in place of the configured one. */
  fallback: string | undefined;
  machine: MachineMemory | undefined;
  preferences: ModelPreferences | undefined;
  isReplaced: boolean;
  unusableModels: ReadonlySet<string>;
}

async function chooseTaskModel(
  { task, config, control, clock, emit }: TaskRun,
  { server, hold, catalog, fallback, machine, preferences, isReplaced, unusableModels }: ChoiceInput,
): Promise<ModelChoice> {
  const requestedModel = task.routing_decision?.selected_model;
  const installed = await runWithRetries(() => server.list(control.signal), {
    clock,
    signal: control.signal,
    hold,
    onRetry: (failure, retry) => emit({ event_type: 'status', text: formatRetry(failure, retry) }),
  });
  if (!installed.ok) return { ok: false, model: requestedModel ?? '', failure: installed.failure };
  const ladderChoice =
    preferences &&
    chooseFromLadder(preferences.names, installed.value, {
      unusableModels,
      autoPull: config.ollama.autoPull,
    });
  for (const missing of ladderChoice?.missing ?? []) {
    if (preferences?.reportedMissing.has(missing)) continue;
    preferences?.reportedMissing.add(missing);
    emit({
      event_type: 'status',
      text: `Warning: ${missing} in the model ladder is not installed and is skipped. Install it with ollama pull, or remove it from the ladder`,
    });
  }
  const modelName = ladderChoice?.model ?? requestedModel;
  const taskType = task.metadata.task_type;
  const choice = chooseModel(
    {
      namedModel: modelName,
      taskType: typeof taskType === 'string' ? taskType : undefined,
      configuredDefault: fallback ?? config.model.default,
      onMissing: config.model.onMissing,
      autoPull: config.ollama.autoPull,
      isNamedForOtherServer: isReplaced,
      machine,
      unusableModels,
    },
    installed.value,
    catalog,
  );
  if (!choice.ok) return { ok: false, model: modelName ?? '', failure: choice.failure };
  return { ok: true, ...choice.value, installedModels: installed.value };
}

/** Returns the ending for a failure. If the task was stopped while the model was loading, the ending is the stop, not the aborted call. */
function endingOfFailure({ control }: TaskRun, { code, message }: Failure): Ending {
  const reason = control.stopReason;
  return reason
    ? { reason, detail: `the task was stopped (${reason}) before the model was ready` }
    : { reason: 'model_error', detail: `${code}: ${message}` };
}
