/**
 * Hub and worker in one process, on loopback, with tokens made for this run.
 * The task passes through HTTP, socket, journal and outbox as any other.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isPostgresAddress } from '../addresses/is-postgres-address.ts';
import { CleanupStack } from '../system/cleanup-stack.ts';
import type { Config } from '../config/schema.ts';
import type { Hub } from '../hub/hub.ts';
import type { ModelCatalog } from '../model/catalog.ts';
import type { Logger, ModelServer, Outcome } from '../ports.ts';
import { createLogger } from '../observability/logger.ts';
import { createSecretMasker } from '../observability/secrets.ts';
import { readWebhooks } from './settings.ts';
import { acquireStateLock } from '../storage/state-lock.ts';
import { StorageError, storageError } from '../storage/storage-error.ts';
import { workerFolders } from '../worker/folders.ts';
import type { Worker } from '../worker/worker.ts';
import { checkDisk, checkTemporaryFolder } from './check-disk.ts';
import { CommandError, EXIT, usageError, workerError } from './exit-codes.ts';
import { createHubClient, type HubClient } from '../hub-client/hub-client.ts';
import { aborted } from './interruption.ts';
import { runsFolder } from './state-folders.ts';
import { removeFolder } from '../system/remove-folder.ts';

interface LocalSessionOptions {
  config: Config;
  logLevel: Config['observability']['logLevel'];
  /**
   * Whose state folder: `user`'s (one worker at a time, the hub's queue is kept), an `own` one beside it (kept for the
   * ledger, used again by later commands), or a `temporary` one that is removed at the end.
   */
  state: 'user' | 'own' | 'temporary';
  agentId: string;
  /** Another catalogue of models than the user's. */
  catalog?: ModelCatalog;
  /** Another model server than Ollama, such as a recorded session. */
  createServer?: (baseUrl: string) => ModelServer;
  /** Port of the hub; default: any free one. */
  port?: number;
  /** The hub's admin token; default: made up. */
  adminToken?: string;
}

export interface LocalSession {
  hubUrl: string;
  adminToken: string;
  client: HubClient;
  worker: Worker;
  /** Aborted with the `CommandError` to end with, when the worker ended and leaves its task without a result. */
  lost: AbortSignal;
  /** Ends worker and hub; safe to call twice. */
  close(): Promise<void>;
}

/** Starts both and waits until the worker is ready. Throws `CommandError`. */
export async function startLocalSession(options: LocalSessionOptions): Promise<LocalSession> {
  checkTemporaryFolder();
  // A daemon waits for room; a command that does one task cannot.
  if (options.state !== 'user') checkDisk(options.config);
  const opened = new CleanupStack();
  try {
    const logger = await createLogger({ level: options.logLevel, masker: createSecretMasker() });
    const token = `osc_worker_${randomBytes(32).toString('base64url')}`;
    const hub = await startOwnHub(options, token, logger);
    opened.add(() => hub.close());
    const worker = await startOwnWorker(options, { hub, token, logger, opened });
    opened.add(() => worker.stop());
    const lost = lossOf(worker);
    await Promise.race([worker.whenReady(), aborted(lost)]);
    lost.throwIfAborted();
    const adminToken = hub.tokens.admin;
    const client = createHubClient({ url: hub.url, token: adminToken });
    return { hubUrl: hub.url, adminToken, client, worker, lost, close: opened.close };
  } catch (error) {
    await opened.close();
    throw asCommandError(error, queueOf(options));
  }
}

/** A worker that cannot go on leaves its task without a result: whoever waits for one has to hear of it. */
function lossOf(worker: Worker): AbortSignal {
  const lost = new AbortController();
  void worker.ended.then(({ reason, message = reason }) => {
    if (reason === 'drained' || reason === 'restart' || reason === 'stopped') return;
    const text =
      reason === 'storage_failed'
        ? `The task was given up, since the worker cannot write its storage: ${message}`
        : `The worker ended before its task: ${message}`;
    lost.abort(workerError(reason, text));
  });
  return lost.signal;
}

const queueOf = ({ config: { embeddedHub, worker } }: LocalSessionOptions): string =>
  embeddedHub.database ?? join(workerFolders(worker).stateDir, 'hub.sqlite');

async function startOwnHub(options: LocalSessionOptions, workerToken: string, logger: Logger): Promise<Hub> {
  // The hub's modules are only read by commands that need them.
  const { startHub } = await import('../hub/hub.ts');
  const { config, state, port, adminToken, agentId } = options;
  const { maxAttempts, dailyBudgets } = config.embeddedHub;
  const { stateDir } = workerFolders(config.worker);
  const isKept = state === 'user';
  // Checked before the queue's file is opened, since the worker that holds the folder may run a hub on it.
  if (isKept) acquireStateLock(stateDir).release();
  return startHub({
    port,
    database: isKept ? queueOf(options) : ':memory:',
    webhooks: isKept ? await readWebhooks(config.embeddedHub) : [],
    retention: config.retention,
    maxAttempts: isKept ? maxAttempts : 1,
    ...(isKept && { dailyBudgets }),
    soleWorker: !isKept,
    // Nobody scrapes or opens a hub that ends with its one task.
    metrics: isKept,
    ...(!isKept && { dashboardDir: false }),
    tokens: { admin: adminToken, workers: { [agentId]: workerToken } },
    logger,
  });
}

interface OwnWorker {
  hub: Hub;
  token: string;
  logger: Logger;
  opened: CleanupStack;
}

async function startOwnWorker(
  options: LocalSessionOptions,
  { hub, token, logger, opened }: OwnWorker,
): Promise<Worker> {
  const { startWorker } = await import('../worker/worker.ts');
  const { config, agentId, createServer, catalog } = options;
  const start = (stateDir: string) =>
    startWorker({
      config: {
        ...config,
        // A daemon that runs beside this one uses the port.
        observability: {
          ...config.observability,
          port: options.state === 'user' ? config.observability.port : undefined,
        },
        worker: { ...config.worker, stateDir },
        // One that ends with its task leaves no trees behind.
        workspace: { ...config.workspace, ...(options.state !== 'user' && { warmTrees: 0 }) },
        hub: { ...config.hub, url: hub.wsUrl, agentId, token },
      },
      logger,
      createServer,
      catalog,
      masker: createSecretMasker([token, hub.tokens.admin]),
    });
  const started = await inStateFolder(options, opened, start);
  if (started.ok) return started.value;
  throw workerError(started.failure.code, started.failure.message);
}

/** Commands that run beside each other, each with a state folder of its own. */
const MAX_OWN_FOLDERS = 64;

async function inStateFolder(
  { config, state }: LocalSessionOptions,
  opened: CleanupStack,
  start: (stateDir: string) => Promise<Outcome<Worker>>,
): Promise<Outcome<Worker>> {
  const { stateDir } = workerFolders(config.worker);
  if (state === 'user') return start(stateDir);
  if (state === 'temporary') {
    const folder = join(runsFolder(stateDir), `temporary-${process.pid}-${randomBytes(4).toString('hex')}`);
    opened.add(() => removeFolder(folder));
    return start(folder);
  }
  let started = await start(join(runsFolder(stateDir), '1'));
  for (let number = 2; number <= MAX_OWN_FOLDERS && isTaken(started); number += 1) {
    started = await start(join(runsFolder(stateDir), String(number)));
  }
  return started;
}

const isTaken = (started: Outcome<Worker>): boolean =>
  !started.ok && started.failure.code === 'storage_locked';

/** A failure of the start with a stable code as a `CommandError`; anything else as it is. `database` names the hub's. */
export function asCommandError(error: unknown, database: string): unknown {
  const coded = withCode(error);
  if (error instanceof CommandError || !coded) return error;
  const { code, message, syscall } = coded;
  if (code === 'hub_database_locked') return new CommandError(EXIT.state, code, message);
  if (code === 'EADDRINUSE') {
    return usageError(
      'hub_port_taken',
      `${message}. Another hub may be running here; choose another port with --port.`,
    );
  }
  const isListening = syscall === 'listen' || (syscall === 'getaddrinfo' && !isPostgresAddress(database));
  if (isListening && /^(EACCES|EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/u.test(code)) {
    return usageError(
      'hub_address_refused',
      `The hub cannot listen there: ${message}. Choose another address with --host and --port.`,
    );
  }
  if (isPostgresAddress(database))
    return new CommandError(EXIT.state, 'hub_database', databaseMessage(database, message || code));
  const failure = storageError(coded, database);
  return failure instanceof StorageError
    ? new CommandError(EXIT.state, failure.code, failure.message)
    : error;
}

/** The error, or the first of its causes, that has a code. */
function withCode(error: unknown): { code: string; message: string; syscall?: unknown } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    const message = 'message' in error ? String(error.message) : '';
    return { code: error.code, message, ...('syscall' in error && { syscall: error.syscall }) };
  }
  return 'cause' in error ? withCode(error.cause) : undefined;
}

/** The address without its password. */
function databaseMessage(database: string, why: string): string {
  const shown = URL.canParse(database) ? new URL(database).host : 'the named server';
  return `The hub's database on ${shown} cannot be used: ${why}. Check the address and that PostgreSQL runs.`;
}
