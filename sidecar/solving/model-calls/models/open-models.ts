/** Prepares the models of a task: chooses each model and opens its session. Fails as data, with a message that explains the remedy. */
import { randomUUID } from 'node:crypto';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../../../base/addresses/ollama-url.ts';
import { chooseNumCtx } from '../../../model/call-options.ts';
import { ModelCatalog, type CatalogEntry } from '../../../model/catalog.ts';
import type { InstalledModel, ModelFailure } from '../../../model/chat.ts';
import { chooseFromLadder, chooseModel } from '../../../model/choose-model.ts';
import { ModelSession } from '../../../model/model-session.ts';
import type { ReadingSpeeds } from '../../../model/reading-speeds.ts';
import { retryText, withRetries } from '../../../model/retry.ts';
import type { MachineMemory } from '../../../base/system/machine-memory.ts';
import { createTokenEstimator } from '../../../model/token-estimate.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { openServer, type AskedServer, type ServerSource } from './open-server.ts';
import { TaskModels, type ComingModel, type ReadyModel } from './task-models.ts';
import { callEvents } from './call-events.ts';
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
  /** Missing models that were already reported to the user. */
  named: Set<string>;
  /** Called before the chosen model is loaded, and again if another one is loaded instead. Must not throw. */
  onChosen?: (model: ComingModel) => void;
}

export type OpenedModels = { ok: true; models: TaskModels } | { ok: false; ending: Ending; model: string };

/** Chooses and prepares the task's own model; after a failure nothing is left open. */
export async function openModels(
  run: TaskRun,
  source: ModelSource,
  preferences?: ModelPreferences,
): Promise<OpenedModels> {
  if (source.url !== undefined && !isOllamaUrl(source.url)) {
    const message = `${JSON.stringify(source.url)}: ${OLLAMA_URL_ADVICE}`;
    return { ok: false, ending: endingOf(run, { code: 'config_invalid', message }), model: '' };
  }
  const { isReplaced, ...asked } = openServer(run, source);
  const catalog = source.catalog ?? new ModelCatalog();
  const { speeds } = source.scheduler.servers;
  const prepare = (name: string) => prepareModel(run, asked, { catalog, speeds }, name);
  const unusable = new Set<string>();
  for (;;) {
    const chosen = await choose(run, {
      ...asked,
      catalog,
      fallback: source.model,
      machine: source.machine,
      preferences,
      isReplaced,
      unusable,
    });
    if (!chosen.ok) return { ok: false, ending: endingOf(run, chosen.failure), model: chosen.model };
    if (chosen.warning) run.emit({ event_type: 'status', text: chosen.warning });
    preferences?.onChosen?.(comingModel(run, catalog.entry(chosen.model), speeds));
    const { model, installed } = chosen;
    const own = await prepare(model);
    run.session?.note({ model });
    if (own.ok) {
      return { ok: true, models: new TaskModels({ run, own: own.value, installed, catalog, prepare }) };
    }
    // Only the server's description of a model reveals that it embeds and cannot chat.
    if (own.failure.code !== 'model_cannot_chat' || unusable.has(model)) {
      return { ok: false, ending: endingOf(run, own.failure), model };
    }
    unusable.add(model);
  }
}

const comingModel = ({ config }: TaskRun, entry: CatalogEntry, speeds: ReadingSpeeds): ComingModel => ({
  name: entry.model,
  windowTokens: chooseNumCtx(config.ollama.maxContextTokens, entry, undefined),
  tokensPerSecond: speeds.of(entry.model),
});

async function prepareModel(
  run: TaskRun,
  { server, hold, slots }: AskedServer,
  { catalog, speeds }: { catalog: ModelCatalog; speeds: ReadingSpeeds },
  name: string,
): Promise<Outcome<ReadyModel, ModelFailure>> {
  const entry = catalog.entry(name);
  const estimator = createTokenEstimator();
  const session = new ModelSession({
    server,
    model: entry.model,
    entry,
    refine: (details) => catalog.entry(name, details),
    limits: run.config.ollama,
    toolMode: run.config.model.toolMode,
    clock: run.clock,
    onProgress: run.emit,
    estimator,
    callEvents: callEvents(run.emit, entry.model, () => `model-${randomUUID()}`),
    signal: run.control.signal,
    hold,
  });
  const prepared = await session.prepare();
  if (!prepared.ok) return prepared;
  const { toolMode, entry: refined } = prepared.value;
  return {
    ok: true,
    value: {
      name: entry.model,
      entry: refined,
      toolMode,
      session,
      slots,
      estimator,
      tokensPerSecond: speeds.of(entry.model),
    },
  };
}

type ModelChoice =
  | { ok: true; model: string; warning?: string; installed: InstalledModel[] }
  | { ok: false; model: string; failure: Failure };

interface ChoiceInput extends AskedServer {
  catalog: ModelCatalog;
  /** Replaces the configured default. */
  fallback: string | undefined;
  machine: MachineMemory | undefined;
  preferences: ModelPreferences | undefined;
  isReplaced: boolean;
  unusable: ReadonlySet<string>;
}

async function choose(
  { task, config, control, clock, emit }: TaskRun,
  { server, hold, catalog, fallback, machine, preferences, isReplaced, unusable }: ChoiceInput,
): Promise<ModelChoice> {
  const asked = task.routing_decision?.selected_model;
  const installed = await withRetries(() => server.list(control.signal), {
    clock,
    signal: control.signal,
    hold,
    onRetry: (failure, retry) => emit({ event_type: 'status', text: retryText(failure, retry) }),
  });
  if (!installed.ok) return { ok: false, model: asked ?? '', failure: installed.failure };
  const onLadder =
    preferences &&
    chooseFromLadder(preferences.names, installed.value, { unusable, autoPull: config.ollama.autoPull });
  for (const missing of onLadder?.missing ?? []) {
    if (preferences?.named.has(missing)) continue;
    preferences?.named.add(missing);
    emit({
      event_type: 'status',
      text: `Warning: ${missing} of the ladder is not installed: continuing without it`,
    });
  }
  const named = onLadder?.model ?? asked;
  const taskType = task.metadata.task_type;
  const choice = chooseModel(
    {
      named,
      taskType: typeof taskType === 'string' ? taskType : undefined,
      configuredDefault: fallback ?? config.model.default,
      onMissing: config.model.onMissing,
      autoPull: config.ollama.autoPull,
      isForeign: isReplaced,
      machine,
      unusable,
    },
    installed.value,
    catalog,
  );
  if (!choice.ok) return { ok: false, model: named ?? '', failure: choice.failure };
  return { ok: true, ...choice.value, installed: installed.value };
}

/** Returns the ending. If the task was stopped while the model was loaded, the stop is the reason, not the aborted call. */
function endingOf({ control }: TaskRun, { code, message }: Failure): Ending {
  const reason = control.stopReason;
  return reason
    ? { reason, detail: `stopped (${reason}) before the model was ready` }
    : { reason: 'model_error', detail: `${code}: ${message}` };
}
