/**
 * Runs hub and worker in one process on loopback, with tokens of this run. Tasks use HTTP, socket, storage and outbox,
 * as with separate processes.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isPostgresAddress } from '../base/addresses/is-postgres-address.ts';
import { CleanupStack } from '../base/system/cleanup-stack.ts';
import type { Config } from '../base/config/schema.ts';
import type { Hub } from '../hub/hub.ts';
import type { Logger } from '../base/ports.ts';
import { createLogger } from '../base/observability/logger.ts';
import { createSecretMasker } from '../base/observability/secrets.ts';
import { readWebhooks } from './settings.ts';
import { acquireStateLock } from '../base/storage/state-lock.ts';
import { StorageError, toStorageError } from '../base/storage/storage-error.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import type { StartWorkerOptions, Worker } from '../worker/start-worker.ts';
import { checkDisk, checkTemporaryFolder } from './preflight.ts';
import { CommandError, EXIT, createUsageError, createWorkerError } from './exit-codes.ts';
import { createHubClient, type HubClient } from '../hub/client/hub-client.ts';
import { waitForAbort, logUnexpectedErrors } from './interruption.ts';
import { runsFolderOf } from './state-folders.ts';
import { removeFolder } from '../base/system/remove-folder.ts';
import type { Outcome } from '../base/values/outcome.ts';

interface LocalSessionOptions extends Pick<StartWorkerOptions, 'catalog' | 'createServer' | 'recorded'> {
  config: Config;
  logLevel: Config['observability']['logLevel'];
  /**
   * Kind of state folder. `user`: the folder of the user's worker, for one process at a time; the hub's queue is
   * stored. `own`: a folder beside it, reused by later commands, so that the ledger is stored. `temporary`: a folder
   * that is removed at the end.
   */
  state: 'user' | 'own' | 'temporary';
  workerId: string;
  /** Port of the hub; default: any free port. */
  port?: number;
  /** The hub's admin token; default: a random token. */
  adminToken?: string;
}

export interface LocalSession {
  hubUrl: string;
  adminToken: string;
  client: HubClient;
  worker: Worker;
  /** Aborts with a `CommandError` as its reason if the worker ended and its task has no result. */
  workerLost: AbortSignal;
  /** Stops worker and hub; safe to call twice. */
  close(): Promise<void>;
}

/** Starts hub and worker and waits until the worker is ready. Throws `CommandError`. */
export async function startLocalSession(options: LocalSessionOptions): Promise<LocalSession> {
  checkTemporaryFolder();
  // A daemon waits for disk space; a command with one task cannot.
  if (options.state !== 'user') checkDisk(options.config);
  const cleanup = new CleanupStack();
  try {
    const logger = await createLogger({ level: options.logLevel, masker: createSecretMasker() });
    cleanup.add(logUnexpectedErrors(logger));
    const token = `osc_worker_${randomBytes(32).toString('base64url')}`;
    const hub = await startOwnHub(options, token, logger);
    cleanup.add(() => hub.close());
    const worker = await startOwnWorker(options, { hub, token, logger, cleanup });
    cleanup.add(() => worker.stop());
    const workerLoss = watchWorkerLoss(worker);
    await Promise.race([worker.waitUntilReady(), waitForAbort(workerLoss)]);
    workerLoss.throwIfAborted();
    const adminToken = hub.tokens.admin;
    const client = createHubClient({ url: hub.url, token: adminToken });
    return { hubUrl: hub.url, adminToken, client, worker, workerLost: workerLoss, close: cleanup.close };
  } catch (error) {
    await cleanup.close();
    throw toCommandError(error, findQueueDatabase(options));
  }
}

/** Returns a signal that aborts if the worker ends before its task, since callers would wait forever for the result. */
function watchWorkerLoss(worker: Worker): AbortSignal {
  const workerLoss = new AbortController();
  void worker.ended.then(({ reason, message = reason }) => {
    if (reason === 'drained' || reason === 'restart' || reason === 'stopped') return;
    const text =
      reason === 'storage_failed'
        ? `The task was aborted because the worker cannot write its storage: ${message}`
        : `The worker stopped before the task ended: ${message}`;
    workerLoss.abort(createWorkerError(reason, text));
  });
  return workerLoss.signal;
}

const findQueueDatabase = ({ config: { embeddedHub, worker } }: LocalSessionOptions): string =>
  embeddedHub.database ?? join(resolveWorkerFolders(worker).stateDir, 'hub.sqlite');

async function startOwnHub(options: LocalSessionOptions, workerToken: string, logger: Logger): Promise<Hub> {
  // Only commands that need the hub load its modules.
  const { startHub } = await import('../hub/hub.ts');
  const { config, state, port, adminToken, workerId } = options;
  const { maxAttempts, dailyBudgets } = config.embeddedHub;
  const { stateDir } = resolveWorkerFolders(config.worker);
  const isPersistent = state === 'user';
  // The lock is checked before the queue's file is opened: the worker that uses the folder may run a hub with this
  // file.
  if (isPersistent) acquireStateLock(stateDir).release();
  return startHub({
    port,
    database: isPersistent ? findQueueDatabase(options) : ':memory:',
    webhooks: isPersistent ? await readWebhooks(config.embeddedHub) : [],
    retention: config.retention,
    maxAttempts: isPersistent ? maxAttempts : 1,
    ...(isPersistent && { dailyBudgets }),
    soleWorker: !isPersistent,
    // A hub that ends with its only task needs no metrics.
    metrics: isPersistent,
    ...(!isPersistent && { dashboardDir: false }),
    tokens: { admin: adminToken, workers: { [workerId]: workerToken } },
    logger,
  });
}

interface WorkerContext {
  hub: Hub;
  token: string;
  logger: Logger;
  cleanup: CleanupStack;
}

async function startOwnWorker(
  options: LocalSessionOptions,
  { hub, token, logger, cleanup }: WorkerContext,
): Promise<Worker> {
  const { startWorker } = await import('../worker/start-worker.ts');
  const { config, workerId, createServer, recorded, catalog } = options;
  const start = (stateDir: string) =>
    startWorker({
      config: {
        ...config,
        // A daemon on this machine may use the port.
        observability: {
          ...config.observability,
          port: options.state === 'user' ? config.observability.port : undefined,
        },
        worker: { ...config.worker, stateDir },
        // A worker that ends with its task leaves no worktrees behind.
        workspace: { ...config.workspace, ...(options.state !== 'user' && { warmTrees: 0 }) },
        hub: { ...config.hub, url: hub.wsUrl, agentId: workerId, token },
      },
      logger,
      createServer,
      recorded,
      catalog,
      masker: createSecretMasker([token, hub.tokens.admin]),
    });
  const outcome = await startInStateFolder(options, cleanup, start);
  if (outcome.ok) return outcome.value;
  throw createWorkerError(outcome.failure.code, outcome.failure.message);
}

/** Maximum number of concurrent commands, each with a state folder of its own. */
const MAX_OWN_FOLDERS = 64;

async function startInStateFolder(
  { config, state }: LocalSessionOptions,
  opened: CleanupStack,
  start: (stateDir: string) => Promise<Outcome<Worker>>,
): Promise<Outcome<Worker>> {
  const { stateDir } = resolveWorkerFolders(config.worker);
  if (state === 'user') return start(stateDir);
  if (state === 'temporary') {
    const folder = join(runsFolderOf(stateDir), `temporary-${process.pid}-${randomBytes(4).toString('hex')}`);
    opened.add(() => removeFolder(folder));
    return start(folder);
  }
  let outcome = await start(join(runsFolderOf(stateDir), '1'));
  for (let number = 2; number <= MAX_OWN_FOLDERS && isFolderTaken(outcome); number += 1) {
    outcome = await start(join(runsFolderOf(stateDir), String(number)));
  }
  return outcome;
}

const isFolderTaken = (started: Outcome<Worker>): boolean =>
  !started.ok && started.failure.code === 'storage_locked';

/** Converts a start failure with a stable code to a `CommandError`; returns other errors as they are. */
export function toCommandError(error: unknown, database: string): unknown {
  const errorWithCode = findErrorWithCode(error);
  if (error instanceof CommandError || !errorWithCode) return error;
  const { code, message, syscall } = errorWithCode;
  if (code === 'hub_database_locked') return new CommandError(EXIT.state, code, message);
  if (code === 'EADDRINUSE') {
    return createUsageError(
      'hub_port_taken',
      `${message}. Another hub may already use this port; choose another port with --port.`,
    );
  }
  const isListening = syscall === 'listen' || (syscall === 'getaddrinfo' && !isPostgresAddress(database));
  if (isListening && /^(EACCES|EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/u.test(code)) {
    return createUsageError(
      'hub_address_refused',
      `The hub cannot listen on this address: ${message}. Choose another address with --host and --port.`,
    );
  }
  if (isPostgresAddress(database))
    return new CommandError(EXIT.state, 'hub_database', describeDatabaseFailure(database, message || code));
  const failure = toStorageError(errorWithCode, database);
  return failure instanceof StorageError
    ? new CommandError(EXIT.state, failure.code, failure.message)
    : error;
}

/** Returns the first error with a code: the given error or one of its causes. */
function findErrorWithCode(error: unknown): { code: string; message: string; syscall?: unknown } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    const message = 'message' in error ? String(error.message) : '';
    return { code: error.code, message, ...('syscall' in error && { syscall: error.syscall }) };
  }
  return 'cause' in error ? findErrorWithCode(error.cause) : undefined;
}

/** Describes an unusable database by its host, without the password. */
function describeDatabaseFailure(database: string, reason: string): string {
  const shownHost = URL.canParse(database) ? new URL(database).host : 'the named server';
  return `The hub's database on ${shownHost} cannot be used: ${reason}. Check the address, and check that PostgreSQL is running.`;
}
