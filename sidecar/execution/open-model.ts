/**
 * Gets the model of a task ready: which server, which model, its session. Fails as data,
 * with a message that says what to do.
 */
import { ModelCatalog } from '../model/catalog.ts';
import { chooseModel } from '../model/choose-model.ts';
import { createModelSession } from '../model/model-session.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import type { CatalogEntry } from '../model/catalog.ts';
import { retryText, withRetries } from '../model/retry.ts';
import type { InstalledModel } from '../model/chat.ts';
import type { Failure, ModelServer } from '../ports.ts';
import { createTokenEstimator } from '../prompt/token-estimate.ts';
import type { ToolMode } from '../prompt/system-prompt.ts';
import type { AskBase } from './ask.ts';
import type { Ending } from './ending.ts';
import { chooseEndpoint } from './endpoint.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { StageModels } from './stage-models.ts';

export interface OpenedModel {
  ok: true;
  base: AskBase;
  entry: CatalogEntry;
  toolMode: ToolMode;
  /** The models of a planned workflow's other stages. */
  stages: StageModels;
}

/** Chooses and prepares; on failure nothing is left open. */
export async function openModel(
  parts: AttemptParts,
): Promise<OpenedModel | { ok: false; ending: Ending; model: string }> {
  const { settings, task, config, emit } = parts;
  const endpoint = chooseEndpoint(task.routing_decision?.selected_endpoint, {
    url: config.ollama_url ?? settings.config.ollama.url,
    allowedHosts: settings.config.ollama.allowedHosts,
  });
  if (endpoint.refused) emit({ event_type: 'status', text: endpoint.refused });
  const plain =
    settings.createServer?.(endpoint.url) ??
    createOllamaServer({ baseUrl: endpoint.url, clock: settings.clock });
  const recorded = config.session?.record(plain) ?? plain;
  const server = config.trace?.watch(recorded, endpoint.url) ?? recorded;
  const catalog = settings.catalog ?? new ModelCatalog();
  const chosen = await choose(parts, server, catalog);
  if (!chosen.ok) return { ok: false, ending: endingOf(parts, chosen.failure), model: chosen.model };
  if (chosen.warning) emit({ event_type: 'status', text: chosen.warning });
  const { model, installed } = chosen;
  config.session?.note({ model });
  const open = (name: string) => openSession(parts, server, catalog.entry(name));
  const base = open(model);
  const prepared = await base.session.prepare();
  if (!prepared.ok) return { ok: false, ending: endingOf(parts, prepared.failure), model };
  const stages = new StageModels({ base, installed, catalog, open });
  return { ok: true, entry: catalog.entry(model), toolMode: prepared.value.toolMode, base, stages };
}

function openSession(parts: AttemptParts, server: ModelServer, entry: CatalogEntry): AskBase {
  const { settings, task, config, emit, control, limits, totals } = parts;
  const { model } = entry;
  const session = createModelSession({
    server,
    model,
    entry,
    limits: settings.config.ollama,
    toolMode: settings.config.model.toolMode,
    clock: settings.clock,
    onProgress: emit,
    signal: control.signal,
  });
  return {
    task,
    model,
    session,
    estimator: createTokenEstimator(),
    control,
    limits,
    totals,
    ledger: settings.ledger,
    clock: settings.clock,
    logger: settings.logger,
    emit,
    observer: config.session?.observer,
    purpose: 'agentic',
  };
}

type Chosen =
  | { ok: true; model: string; warning?: string; installed: InstalledModel[] }
  | { ok: false; model: string; failure: Failure };

async function choose(
  { settings, task, config, control, emit }: AttemptParts,
  server: ModelServer,
  catalog: ModelCatalog,
): Promise<Chosen> {
  const { model: settingsModel, ollama } = settings.config;
  const named = task.routing_decision?.selected_model;
  const installed = await withRetries(() => server.list(control.signal), {
    clock: settings.clock,
    signal: control.signal,
    onRetry: (failure, retry) => emit({ event_type: 'status', text: retryText(failure, retry) }),
  });
  if (!installed.ok) return { ok: false, model: named ?? '', failure: installed.failure };
  const taskType = task.metadata.task_type;
  const choice = chooseModel(
    {
      named,
      taskType: typeof taskType === 'string' ? taskType : undefined,
      configuredDefault: config.model ?? settingsModel.default,
      onMissing: settingsModel.onMissing,
      autoPull: ollama.autoPull,
    },
    installed.value,
    catalog,
  );
  if (!choice.ok) return { ok: false, model: named ?? '', failure: choice.failure };
  return { ok: true, ...choice.value, installed: installed.value };
}

/** A stop that came while the model was being loaded is the reason, not the call that it cut off. */
function endingOf({ control }: AttemptParts, { code, message }: Failure): Ending {
  const reason = control.stopReason;
  return reason
    ? { reason, detail: `stopped (${reason}) before the model was ready` }
    : { reason: 'model_error', detail: `${code}: ${message}` };
}
