/**
 * Starts a worker. `start` makes the parts in the order of their dependencies: state, link, task execution, lifecycle,
 * assignments. After that, each step begins with a frame of the hub (`handlers`): `assignments.ts` takes or refuses an
 * assignment, the task waits in `task-queue.ts`, `task-runner.ts` runs it, and its result stays in the outbox until the
 * hub acknowledges it. `worker.ts` has the worker's states and its end.
 */
import { join } from 'node:path';
import { removeCredentials } from '../base/addresses/credentials.ts';
import { findUserModelsFile } from '../base/config/layers.ts';
import type { Config } from '../base/config/schema.ts';
import { HubLink } from './hub-link/hub-link.ts';
import type { HubLinkHandlers, HubLinkOptions, WorkerIdentity } from './hub-link/types.ts';
import { ModelCatalog } from '../model/catalog.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { Scheduler, type SchedulerOptions } from '../model/servers/scheduler.ts';
import { ReadingSpeeds } from '../model/reading-speeds.ts';
import { detectServerMachine } from '../model/server-machine.ts';
import { listConfiguredServers } from '../model/servers/server-settings.ts';
import { findProxy, describeProxy, type Proxy } from '../base/addresses/proxy.ts';
import { createSecretMasker, listSecretValues, type SecretMasker } from '../base/observability/secrets.ts';
import type { RecordedInput } from '../solving/session/recorded-input.ts';
import type { AskUser, Clock, Logger } from '../base/ports.ts';
import type { Task } from '../base/protocol/task.ts';
import { CleanupStack } from '../base/system/cleanup-stack.ts';
import { systemClock } from '../base/system/clock.ts';
import { loadOnce } from '../base/system/load-once.ts';
import { adviseOnCertificate, createCodedError } from '../base/values/errors.ts';
import { failureOf, type Outcome, success } from '../base/values/outcome.ts';
import { ActiveTasks } from './active-tasks.ts';
import { computeMaxTasks } from './task-order.ts';
import { Assignments } from './assignments.ts';
import { describeDiskShortage } from './capacity.ts';
import { resolveWorkerFolders } from './folders.ts';
import { reportResources, SANDBOXED_LABEL, describeWorker } from './identity.ts';
import { Worker } from './worker.ts';
import { startPruning } from './pruning.ts';
import { watchServers } from './server-watch.ts';
import { killOrphans, openState } from './state.ts';
import type { TaskExecutors, TaskExecutorsOptions } from './task-executors.ts';
import { WorkerTaskQueue } from './task-queue.ts';
import { TaskRunner } from './task-runner.ts';
import { explainNoUsableModel } from './usable-models.ts';
import { openWorkerTelemetry } from './telemetry.ts';
import type { ModelServer } from '../model/chat.ts';

export type { Worker, WorkerEnd, WorkerState } from './worker.ts';

export interface StartWorkerOptions {
  /** The catalogue of models; default: the shipped catalogue and the user's `models.json`. */
  catalog?: ModelCatalog;
  /** The configuration, with `hub.url`, `hub.agentId` and `hub.token` set. */
  config: Config;
  logger: Logger;
  masker?: SecretMasker;
  clock?: Clock;
  /** Creates a model server other than Ollama at `ollama.url`. */
  createServer?: (baseUrl: string) => ModelServer;
  /** Input of a recorded session that the tasks replay. */
  recorded?: readonly RecordedInput[];
}

/**
 * Starts a worker and connects it. Failures of the state folder (`storage_…`), the sandbox, the hub's address or the
 * token are returned, not thrown. After a failure, all opened parts are closed.
 */
export async function startWorker(options: StartWorkerOptions): Promise<Outcome<Worker>> {
  const opened = new CleanupStack();
  try {
    return success(await start(options, opened));
  } catch (error) {
    await opened.close();
    const failure = failureOf(error);
    if (failure) return { ok: false, failure };
    throw error;
  }
}

/** Makes the parts of a worker. Each part that must be closed is added to `opened`, which the worker closes at its end. */
async function start(options: StartWorkerOptions, opened: CleanupStack): Promise<Worker> {
  const { config, clock = systemClock, masker = createSecretMasker([config.hub.token]) } = options;
  const { createServer = (baseUrl: string) => createOllamaServer({ baseUrl, clock }) } = options;
  const logger = options.logger.child({ worker: config.hub.agentId });
  const shared = { config, logger, clock };
  await checkToolSettings(config);
  for (const secret of listServerSecrets(config)) masker.add(secret);

  // Sandbox and model servers are probed while the databases are opened; their failures are thrown at the `await`
  // below.
  const servers = listConfiguredServers(config.ollama);
  const urls = servers.map(({ url }) => url);
  const folders = resolveWorkerFolders(config.worker);
  const speeds = new ReadingSpeeds(join(folders.stateDir, 'prefill-rates.json'));
  const scheduler = openScheduler({ createServer, ...shared, servers, speeds }, opened);
  const { servers: modelServers } = scheduler;
  const identityPromise = describeWorker(config, urls[0], modelServers);
  identityPromise.catch(() => undefined);
  // Needed only to choose a model if none is configured.
  const machinePromise = config.model.default ? undefined : detectServerMachine(servers);
  const catalog = options.catalog ?? (await ModelCatalog.load({ userFile: findUserModelsFile() }));
  const state = await openState({ folders, budgets: config.budgets, catalog, clock, logger }, opened);
  const { records, outbox, ledger } = state;
  // Only an unfinished task can have left processes behind, and reading all processes takes time.
  if (records.listUnfinished().length > 0) await killOrphans(folders, logger);
  const identity = await identityPromise;
  logStart(logger, identity, urls);
  const { link, proxy } = await createLink({ ...shared, identity, outbox, isBucketFull: state.isBucketFull });

  const active = new ActiveTasks((task) => ({
    ...state.openJournal(task),
    recordedEntries: options.recorded,
  }));
  const explainNoModel = () => explainNoUsableModel({ config, catalog, servers: modelServers });
  const explainNotReady = (task?: Task) =>
    modelServers.downReason ??
    (task?.routing_decision?.selected_model === undefined ? explainNoModel() : undefined);
  const serverWatch = { ...shared, active, servers: modelServers, link, explainNoModel };
  const watch = watchServers(serverWatch, opened);
  const observedParts = { ...shared, masker, active, outbox, ledger, scheduler, link, explainNotReady };
  const { onState, ...telemetryParts } = await openWorkerTelemetry(observedParts, opened);
  const { telemetry } = telemetryParts;
  const askUser: AskUser = (request, wait) =>
    link.requestApproval({ ...request, summary: masker.mask(request.summary) }, wait);
  const loadExecutors = createExecutorLoader({
    ...shared,
    folders,
    masker,
    isSandboxed: identity.sandbox === SANDBOXED_LABEL,
    model: { createServer, scheduler, telemetry, ledger, catalog, askUser, machine: await machinePromise },
  });
  const { gracePeriodMs, queueSize, minFreeDiskBytes, resourceReportIntervalMs } = config.worker;
  const explainDiskShortage = () => describeDiskShortage(folders.worktreesDir, minFreeDiskBytes);
  const runnerParts = { ...shared, ...telemetryParts, loadExecutors, records, link, ledger, masker, folders };
  const runner = new TaskRunner({ ...runnerParts, explainDiskShortage, checkServers: watch.checkServers });
  const queue = new WorkerTaskQueue({ config, clock, scheduler, active, runner });

  const workerParts = { ...shared, active, link, outbox };
  const worker = new Worker({
    ...workerParts,
    queue,
    gracePeriodMs,
    explainNotReady,
    close: opened.close,
  });
  worker.onState(onState);
  const pruning = startPruning({ ...shared, folders, records, ledger, isIdle: () => active.size === 0 });
  opened.add(() => pruning.stop());
  opened.add(reportResources(link, clock, resourceReportIntervalMs));

  const capacity = { maxTasks: computeMaxTasks(config) + queueSize, explainNotReady, explainDiskShortage };
  const assignments = new Assignments({
    ...workerParts,
    records,
    openJournal: state.openJournal,
    ledger,
    config,
    capacity,
    worker,
    queue,
    pruning,
  });

  worker.onConnecting();
  const awayPromise = startLink(link, worker, createHandlers(worker, assignments, watch.returnTasksOnHold));
  assignments.recover();
  await waitForFirstConnection({ config, clock, link, worker, disconnectionPromise: awayPromise, proxy });
  return worker;
}

function logStart(
  logger: Logger,
  { version, sandbox, models }: WorkerIdentity,
  urls: readonly string[],
): void {
  const model_servers = urls.map(removeCredentials);
  logger.info({ version, sandbox, model_servers, models: models?.length ?? 0 }, 'Worker starts');
}

/** Creates the link to the configured hub, through a proxy if one leads to the hub. */
async function createLink({
  config: { hub },
  logger,
  ...options
}: { config: Config; logger: Logger } & Pick<
  HubLinkOptions,
  'identity' | 'outbox' | 'isBucketFull' | 'clock'
>) {
  const { url = '', allowInsecure, framesPerMinute } = hub;
  const proxy = await findHubProxy(url, logger);
  const link = new HubLink({ ...options, logger, url, allowInsecure, framesPerMinute, agent: proxy?.agent });
  return { link, proxy };
}

/** Starts the link; resolves if the worker temporarily disconnects from a hub that answered. */
function startLink(link: HubLink, worker: Worker, handlers: HubLinkHandlers): Promise<void> {
  return new Promise((resolve) => {
    const onDisconnected = () => {
      worker.onConnecting();
      if (link.hub.noTasksReason !== undefined) resolve();
    };
    link.start({ ...handlers, onDisconnected });
  });
}

/** Returns the proxy through which the hub is reached; an invalid address is reported later. */
async function findHubProxy(url: string, logger: Logger): Promise<Proxy | undefined> {
  const proxy = URL.canParse(url) ? await findProxy(new URL(url)) : undefined;
  if (proxy) logger.info({ proxy: proxy.address }, 'Connecting to the hub through a proxy');
  return proxy;
}

/** Maps the frames of the hub to their handlers. */
const createHandlers = (
  worker: Worker,
  assignments: Assignments,
  returnTasksOnHold: () => void,
): HubLinkHandlers => ({
  onAssign: (task) => assignments.onAssign(task),
  onInvalidAssign: ({ taskId, generation, reason }) =>
    assignments.refuse({ task_id: taskId, generation }, `invalid_task: ${reason}`),
  onContinue: (taskId, generation) => assignments.onContinue(taskId, generation),
  onDrop: (taskId, generation) => assignments.onDrop(taskId, generation),
  onSteer: (taskId, text) => assignments.onSteer(taskId, text),
  onDrain: (reason) => {
    assignments.onDrain(reason);
    returnTasksOnHold();
  },
  onRestart: (reason) => void worker.drain(reason, 'restart'),
  onConnected: () => worker.onConnected(),
  onRefused: ({ code, message }) => void worker.stop(code, message),
  onStorageFailed: (error) => void worker.stop('storage_failed', error.message),
});

/** Returns a function that loads the task executors once, at its first call; after a failure, at the next one. */
const createExecutorLoader = (options: TaskExecutorsOptions): (() => Promise<TaskExecutors>) =>
  loadOnce(async () => (await import('./task-executors.ts')).createTaskExecutors(options));

type SchedulerParts = Pick<SchedulerOptions, 'createServer' | 'clock' | 'logger' | 'servers' | 'speeds'>;

function openScheduler(
  { config, ...parts }: SchedulerParts & { config: Config },
  opened: CleanupStack,
): Scheduler {
  const scheduler = new Scheduler({ ...parts, maxPassedOverMs: config.worker.maxPassedOverMs });
  opened.add(() => scheduler.servers.stop());
  return scheduler;
}

interface FirstConnectionOptions {
  config: Config;
  clock: Clock;
  link: HubLink;
  worker: Worker;
  disconnectionPromise: Promise<void>;
  proxy: Proxy | undefined;
}

/**
 * Resolves once the worker is connected, or is disconnected while a public hub gives it no tasks. Rejects with a coded error if the hub
 * refuses address or token, or nothing answers in time. Only the first connection fails like this; a lost connection is
 * opened again.
 */
async function waitForFirstConnection({
  config,
  clock,
  link,
  worker,
  disconnectionPromise,
  proxy,
}: FirstConnectionOptions): Promise<void> {
  const timeoutMs = config.hub.connectTimeoutMs;
  const timeout = new Promise<'late'>((resolve) => {
    if (timeoutMs > 0) clock.schedule(timeoutMs, () => resolve('late'));
  });
  const outcome = await Promise.race([timeout, worker.waitUntilReady(), disconnectionPromise, worker.ended]);
  if (!outcome) return;
  if (outcome !== 'late') {
    const { reason, message = 'The worker stopped' } = outcome;
    throw createCodedError(reason, message);
  }
  await worker.stop('hub_unreachable');
  const message = `${explainLateConnection(config, link.lastLossReason, describeProxy(proxy))} To wait without a limit, set hub.connectTimeoutMs to 0.`;
  throw createCodedError('hub_unreachable', message);
}

/**
 * Returns why the first connection is late. An HTTP answer that is no WebSocket, such as 404, means a wrong address and not an absent hub.
 */
function explainLateConnection(
  { hub: { url, connectTimeoutMs } }: Config,
  lastLossReason: string | undefined,
  via: string,
): string {
  const status = /Unexpected server response: (\d{3})/u.exec(lastLossReason ?? '')?.[1];
  if (status !== undefined) {
    return `${url} answered${via} with HTTP ${status} instead of a WebSocket. Check the path in hub.url; a hub usually has /ws.${via && ' The response may come from the proxy.'}`;
  }
  const silence = `The hub at ${url} did not answer${via} within ${connectTimeoutMs / 1000} s`;
  const advice = adviseOnCertificate(lastLossReason ?? '') ?? 'Check hub.url, and that the hub is running.';
  return `${silence}${lastLossReason === undefined ? '' : ` (${lastLossReason})`}. ${advice}`;
}

/** Loads the tool modules at a start only if settings name tools. */
async function checkToolSettings(config: Config): Promise<void> {
  const { own, only, disabled } = config.tools;
  if (own.length + disabled.length === 0 && !only) return;
  const { checkTools } = await import('../solving/task/toolset/check-tools.ts');
  checkTools(config);
}

/** Returns the secrets that this worker sends to MCP servers. */
function listServerSecrets({ tools }: Config): string[] {
  return Object.values(tools.mcp).flatMap(({ env, headers }) => [
    ...Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']),
    ...listSecretValues(env),
  ]);
}
