/**
 * The worker's composition root: opens what is durable, puts the rooms together, connects.
 * Order matters: the lock before the databases, orphans ended before tasks are taken up again, the
 * journal read before the hub is asked.
 */
import { join } from 'node:path';
import PQueue from 'p-queue';
import { CleanupStack } from '../system/cleanup-stack.ts';
import { systemClock } from '../system/clock.ts';
import type { Config } from '../config/schema.ts';
import { userConfigDir } from '../config/layers.ts';
import { detectSandbox } from '../environment/sandbox-detect.ts';
import { isCodedError } from '../values/errors.ts';
import { createHubLink } from '../hub-link/hub-link.ts';
import type { HubLink } from '../hub-link/types.ts';
import { CostLedger } from '../ledger/cost-ledger.ts';
import { makeFolder } from '../system/make-folder.ts';
import { ModelCatalog } from '../model/catalog.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { createSecretMasker, type SecretMasker } from '../observability/secrets.ts';
import { normalizeUrl } from '../addresses/ollama-url.ts';
import type { AskPerson, Clock, Logger, ModelServer, Outcome } from '../ports.ts';
import type { Task } from '../protocol/task.ts';
import { createOutbox } from '../storage/outbox.ts';
import { acquireStateLock } from '../storage/state-lock.ts';
import { openStateDatabase, type StateDatabase } from '../storage/state-database.ts';
import { storageError } from '../storage/storage-error.ts';
import { createTaskJournal } from '../storage/task-journal.ts';
import { createTaskRecords } from '../storage/task-records.ts';
import { VERSION } from '../system/version.ts';
import { ActiveTasks } from './active-tasks.ts';
import { Assignments } from './assignments.ts';
import { connectFirst } from './first-connection.ts';
import { workerFolders, type Folders } from './folders.ts';
import { linkHandlers } from './link-handlers.ts';
import { startPruning } from './pruning.ts';
import { recoverTasks } from './recovery.ts';
import { reportResources } from './resources.ts';
import { TaskRunner } from './task-runner.ts';
import { endOrphans } from './orphans.ts';
import type { MachineryOptions, TaskMachinery } from './task-machinery.ts';
import { whyClosed } from './room.ts';
import { openWatching } from './watching.ts';
import { Worker } from './worker.ts';

export interface StartWorkerOptions {
  /** With `hub.url`, `hub.agentId` and `hub.token` set. */
  config: Config;
  logger: Logger;
  masker?: SecretMasker;
  clock?: Clock;
  /** Another model server than Ollama at `ollama.url`, such as a recorded session. */
  createServer?: (baseUrl: string) => ModelServer;
}

/** A daemon has its first second for itself; a task that comes sooner loads what it needs. */
const LOAD_DELAY_MS = 250;

/** Starts a worker and connects it. Failures are data: state folder (`storage_…`), sandbox, hub address, token. */
export async function startWorker(options: StartWorkerOptions): Promise<Outcome<Worker>> {
  const opened = new CleanupStack();
  try {
    return { ok: true, value: await assemble(options, opened) };
  } catch (error) {
    await opened.close();
    if (isCodedError(error)) return { ok: false, failure: { code: error.code, message: error.message } };
    throw error;
  }
}

async function assemble(options: StartWorkerOptions, opened: CleanupStack): Promise<Worker> {
  const { config, logger } = options;
  const createServer = options.createServer ?? ((baseUrl) => createOllamaServer({ baseUrl }));
  const clock = options.clock ?? systemClock;
  const base = { config, logger, clock };
  const folders = workerFolders(config.worker);
  const server = createServer(normalizeUrl(config.ollama.url));
  // Both wait for others, while the databases are opened here.
  const [sandboxed, identified] = [sandboxLabel(config), identity(config, server)];
  sandboxed.catch(() => 'told where it is awaited');
  const db = openState(folders, opened);
  const records = createTaskRecords(db, clock);
  const outbox = createOutbox(db, clock);
  const catalog = await ModelCatalog.load({ userFile: join(userConfigDir(), 'models.json') });
  const masker = options.masker ?? createSecretMasker([config.hub.token]);
  const sandbox = await sandboxed;
  const journal = (task: Task) => createTaskJournal(db, task.task_id, task.generation);
  const active = new ActiveTasks(config.worker.concurrency + config.worker.queueSize, journal);
  const ledger = openLedger(base, db, catalog);
  const watched = { ...base, masker, active, outbox, ledger, worker: () => worker };
  const { begin, ...seen } = await openWatching(watched, opened);
  const askPerson = askThrough(() => link, masker);
  const { telemetry } = seen;
  const { machinery, soon } = loadWhenNeeded(
    { ...base, createServer, telemetry, journal, ledger, catalog, folders, masker, askPerson },
    opened,
  );
  const assignments = new Assignments({
    active,
    records,
    outbox,
    link: () => link,
    rules: { ...config.routing, ...config.workflow },
    draining: () => worker.state === 'draining',
    closed: () => whyClosed(worker.state, folders.worktreesDir, config.worker.minFreeDiskBytes),
    enqueue: (task) => worker.enqueue(task),
    journal,
    onDropped: () => pruning.soon(),
    clock,
    logger,
  });
  const link: HubLink = createHubLink({
    url: config.hub.url ?? '',
    identity: { ...(await identified), sandbox },
    outbox,
    allowInsecure: config.hub.allowInsecure,
    clock,
    logger,
    handlers: linkHandlers({ assignments, worker: () => worker }),
  });
  const runner = new TaskRunner({
    ...base,
    machinery,
    records,
    link,
    masker,
    folders,
    sandboxed: sandbox === 'bubblewrap',
    ...seen,
  });
  // Only an unfinished task can have left processes behind; looking at all processes is not free.
  if (records.unfinished().length > 0) await endOrphans(folders, logger);
  const pruning = startPruning({ ...base, folders, records });
  opened.add(() => pruning.stop());
  const worker: Worker = new Worker({
    active,
    queue: new PQueue({ concurrency: config.worker.concurrency }),
    runner,
    onEnded: (task) => assignments.ended(task),
    link,
    gracePeriodMs: config.worker.gracePeriodMs,
    clock,
    logger,
    close: opened.close,
  });
  opened.add(reportResources(link, clock, config.worker.resourceReportIntervalMs));
  begin();
  const start = () => recoverTasks({ link, records, assignments, worker, logger });
  await connectFirst({ ...base, link, worker, start });
  soon();
  return worker;
}

/** People are asked in words without the secrets that this process knows. */
function askThrough(link: () => HubLink, masker: SecretMasker): AskPerson {
  return (request, wait) =>
    link().requestApproval({ ...request, summary: masker.mask(request.summary) }, wait);
}

/** Takes the state folder for this process and opens what is durable in it. Throws `StorageError`. */
function openState(folders: Folders, opened: CleanupStack): StateDatabase {
  makeFolders(folders);
  const lock = acquireStateLock(folders.stateDir);
  opened.add(() => lock.release());
  const db = openStateDatabase(folders.stateDir);
  opened.add(() => db.close());
  return db;
}

function makeFolders({ stateDir, worktreesDir, cacheDir }: Folders): void {
  for (const dir of [stateDir, worktreesDir, cacheDir]) {
    try {
      makeFolder(dir);
    } catch (cause) {
      throw storageError(cause, dir);
    }
  }
}

function openLedger(
  { config, clock, logger }: { config: Config; clock: Clock; logger: Logger },
  db: StateDatabase,
  catalog: ModelCatalog,
): CostLedger {
  const prices = (model: string) => catalog.entry(model).price;
  return new CostLedger({ db, budgets: config.budgets, prices, clock, logger });
}

/** Loads what tasks are run with, once: when the first task asks, or soon after the start. */
function loadWhenNeeded(
  options: MachineryOptions,
  opened: CleanupStack,
): { machinery: () => Promise<TaskMachinery>; soon: () => void } {
  let loading: Promise<TaskMachinery> | undefined;
  const load = async () => (await import('./task-machinery.ts')).createTaskMachinery(options);
  const machinery = () => (loading ??= load());
  return {
    machinery,
    soon: () => {
      // A failure is the first task's to tell.
      opened.add(options.clock.schedule(LOAD_DELAY_MS, () => void machinery().catch(() => undefined)));
    },
  };
}

/** `bubblewrap`, or why commands run without a sandbox. Throws where it is required and does not work. */
async function sandboxLabel({ sandbox: { mode } }: Config): Promise<string> {
  if (mode === 'off') return 'off';
  const found = await detectSandbox();
  if (found.available) return 'bubblewrap';
  if (mode === 'auto') return `none: ${found.reason}`;
  const message = `sandbox.mode is "required" and bubblewrap does not work: ${found.reason}`;
  throw Object.assign(new Error(message), { code: 'sandbox_unavailable' });
}

const MODELS_TIMEOUT_MS = 3_000;

async function identity({ hub, worker, ollama }: Config, server: ModelServer) {
  // Ollama may start after the worker: then the hub learns of the models at the next connection.
  const installed = await server.list(AbortSignal.timeout(MODELS_TIMEOUT_MS));
  return {
    agentId: hub.agentId ?? '',
    token: hub.token ?? '',
    name: hub.name,
    capabilities: hub.labels,
    capacity: worker.concurrency,
    models: installed.ok ? installed.value.map(({ name }) => name) : [],
    version: VERSION,
    ollamaUrl: ollama.url,
  };
}
