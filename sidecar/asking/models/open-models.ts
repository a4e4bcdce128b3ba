/**
 * Gets the model of a task ready: which server, which model, its session. Fails as data, with a message that says what
 * to do.
 */
import { randomUUID } from 'node:crypto';
import { withoutCredentials } from '../../addresses/without-credentials.ts';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../../addresses/ollama-url.ts';
import { chooseNumCtx } from '../../model/call-options.ts';
import { ModelCatalog, type CatalogEntry } from '../../model/catalog.ts';
import type { InstalledModel, ModelFailure } from '../../model/chat.ts';
import { chooseFromLadder, chooseModel } from '../../model/choose-model.ts';
import { createModelSession } from '../../model/model-session.ts';
import { createOllamaServer } from '../../model/ollama-server.ts';
import type { Scheduler } from '../../model/servers/scheduler.ts';
import { configuredServers, type ServerSettings } from '../../model/servers/server-settings.ts';
import { TaskServer } from '../../model/servers/task-server.ts';
import { retryText, withRetries, type ServerHold } from '../../model/retry.ts';
import type { MachineMemory } from '../../system/machine-memory.ts';
import type { Failure, ModelServer, Outcome } from '../../ports.ts';
import { createTokenEstimator } from '../../prompt/token-estimate.ts';
import { SentPrompts } from '../sent-prompts.ts';
import type { Ending } from '../../task/ending.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { chooseServer } from './choose-server.ts';
import { holdFor } from './server-hold.ts';
import type { ComingModel, ReadyModel } from './ready-model.ts';
import { TaskModels } from './task-models.ts';
import { callEvents } from './call-events.ts';

export interface ModelSource {
  /** Server and model to use where the task names none; default: the configured ones. */
  url?: string;
  model?: string;
  catalog?: ModelCatalog;
  /** The machine of the model servers, where it is known. */
  machine?: MachineMemory | undefined;
  createServer?: (baseUrl: string) => ModelServer;
  /** Shared by all tasks. */
  scheduler: Scheduler;
  /** Tasks are on hold while no server is up; otherwise they fail. */
  holds: boolean;
}

/** An attempt's wishes for its models. */
export interface ModelWishes {
  /** In the order in which they are wanted; the first that is installed is taken. */
  names: readonly string[];
  /** Those that people have read of: not installed. */
  named: Set<string>;
  /** The model is chosen and about to be loaded; called again where another one is loaded in its place. Must not throw. */
  onChosen?: (model: ComingModel) => void;
}

export type OpenedModels = { ok: true; models: TaskModels } | { ok: false; ending: Ending; model: string };

/** Chooses and prepares the task's own model; on failure nothing is left open. */
export async function openModels(
  run: TaskRun,
  source: ModelSource,
  wishes?: ModelWishes,
): Promise<OpenedModels> {
  if (source.url !== undefined && !isOllamaUrl(source.url)) {
    const message = `${JSON.stringify(source.url)}: ${OLLAMA_URL_ADVICE}`;
    return { ok: false, ending: endingOf(run, { code: 'config_invalid', message }), model: '' };
  }
  const { isReplaced, ...asked } = openServer(run, source);
  const catalog = source.catalog ?? new ModelCatalog();
  const prepare = (name: string) => prepareModel(run, asked, catalog, name);
  const unusable = new Set<string>();
  for (;;) {
    const chosen = await choose(run, {
      ...asked,
      catalog,
      fallback: source.model,
      machine: source.machine,
      wishes,
      isReplaced,
      unusable,
    });
    if (!chosen.ok) return { ok: false, ending: endingOf(run, chosen.failure), model: chosen.model };
    if (chosen.warning) run.emit({ event_type: 'status', text: chosen.warning });
    wishes?.onChosen?.(coming(run, catalog.entry(chosen.model)));
    const { model, installed } = chosen;
    const own = await prepare(model);
    run.session?.note({ model });
    if (own.ok) {
      return { ok: true, models: new TaskModels({ run, own: own.value, installed, catalog, prepare }) };
    }
    // Only the server's own description tells of some models that they embed and do not chat.
    if (own.failure.code !== 'model_cannot_chat' || unusable.has(model)) {
      return { ok: false, ending: endingOf(run, own.failure), model };
    }
    unusable.add(model);
  }
}

const coming = ({ config }: TaskRun, entry: CatalogEntry): ComingModel => ({
  name: entry.model,
  windowTokens: chooseNumCtx(config.ollama.maxContextTokens, entry, undefined),
});

interface AskedServer {
  server: ModelServer;
  /** How many calls it answers at once. */
  slots: () => number;
  hold?: ServerHold;
}

/** The server of the task, its calls recorded and traced. `isReplaced`: the hub wanted another one. */
function openServer(run: TaskRun, source: ModelSource): AskedServer & { isReplaced: boolean } {
  const { task, config, emit } = run;
  const wished = task.routing_decision?.selected_endpoint;
  const { slots } = config.ollama;
  const servers = configuredServers(source.url === undefined ? config.ollama : { url: source.url, slots });
  const chosen = chooseServer(wished, {
    url: source.url ?? servers[0]?.url ?? config.ollama.url,
    allowedHosts: [...config.ollama.allowedHosts, ...servers.map(({ url }) => url)],
  });
  if (chosen.refused) emit({ event_type: 'status', text: chosen.refused });
  const isConfigured = servers.some(({ url }) => url === chosen.url);
  const usable = isConfigured ? servers : [{ url: chosen.url, slots: 1 }];
  const preferred = isConfigured && wished && !chosen.refused ? chosen.url : undefined;
  return { ...openTaskServer(run, source, usable, preferred), isReplaced: chosen.refused !== undefined };
}

/** `preferred`: where the task begins, as the hub wishes. */
function openTaskServer(
  run: TaskRun,
  source: ModelSource,
  servers: readonly ServerSettings[],
  preferred: string | undefined,
): AskedServer {
  let resume = (): void => undefined;
  const server = new TaskServer({
    taskId: run.task.task_id,
    servers,
    scheduler: source.scheduler,
    clock: run.clock,
    preferred,
    createServer: (url) => watched(run, plainServer(run, source, url), url),
    onMove: (url) =>
      run.emit({ event_type: 'status', text: `The model server is now ${withoutCredentials(url)}` }),
    // A task that waits for others uses none of its time.
    onStalled: (isStalled) => {
      if (isStalled) resume = run.control.pauseWallClock();
      else resume();
    },
  });
  return {
    server: recorded(run, server),
    slots: () => server.slots,
    ...(source.holds && { hold: holdFor(run, server) }),
  };
}

const plainServer = ({ clock }: TaskRun, { createServer }: ModelSource, url: string): ModelServer =>
  createServer?.(url) ?? createOllamaServer({ baseUrl: url, clock });
const recorded = ({ session }: TaskRun, server: ModelServer) => session?.record(server) ?? server;
const watched = ({ trace }: TaskRun, server: ModelServer, url: string) => trace?.watch(server, url) ?? server;

async function prepareModel(
  run: TaskRun,
  { server, hold, slots }: AskedServer,
  catalog: ModelCatalog,
  name: string,
): Promise<Outcome<ReadyModel, ModelFailure>> {
  const entry = catalog.entry(name);
  const session = createModelSession({
    server,
    model: entry.model,
    entry,
    refine: (details) => catalog.entry(name, details),
    limits: run.config.ollama,
    toolMode: run.config.model.toolMode,
    clock: run.clock,
    onProgress: run.emit,
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
      estimator: createTokenEstimator(),
      sent: new SentPrompts(),
    },
  };
}

type Chosen =
  | { ok: true; model: string; warning?: string; installed: InstalledModel[] }
  | { ok: false; model: string; failure: Failure };

interface Choosing extends AskedServer {
  catalog: ModelCatalog;
  /** In place of the configured default. */
  fallback: string | undefined;
  machine: MachineMemory | undefined;
  wishes: ModelWishes | undefined;
  isReplaced: boolean;
  unusable: ReadonlySet<string>;
}

async function choose(
  { task, config, control, clock, emit }: TaskRun,
  { server, hold, catalog, fallback, machine, wishes, isReplaced, unusable }: Choosing,
): Promise<Chosen> {
  const asked = task.routing_decision?.selected_model;
  const installed = await withRetries(() => server.list(control.signal), {
    clock,
    signal: control.signal,
    hold,
    onRetry: (failure, retry) => emit({ event_type: 'status', text: retryText(failure, retry) }),
  });
  if (!installed.ok) return { ok: false, model: asked ?? '', failure: installed.failure };
  const wish =
    wishes && chooseFromLadder(wishes.names, installed.value, { unusable, autoPull: config.ollama.autoPull });
  for (const missing of wish?.missing ?? []) {
    if (wishes?.named.has(missing)) continue;
    wishes?.named.add(missing);
    emit({
      event_type: 'status',
      text: `Warning: ${missing} of the ladder is not installed: going on without it`,
    });
  }
  const named = wish?.model ?? asked;
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

/** A stop that came while the model was being loaded is the reason, not the call that it cut off. */
function endingOf({ control }: TaskRun, { code, message }: Failure): Ending {
  const reason = control.stopReason;
  return reason
    ? { reason, detail: `stopped (${reason}) before the model was ready` }
    : { reason: 'model_error', detail: `${code}: ${message}` };
}
