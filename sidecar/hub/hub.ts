/**
 * The embedded hub: assembles queue, workers, API, event stream and dashboard in one process. A change is reported only
 * after it is in the database, so a hub that is killed continues from the database.
 */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/system/clock.ts';
import { VERSION } from '../base/system/version.ts';
import { formatHostAndPort } from '../base/addresses/host-and-port.ts';
import { silentLogger } from '../base/observability/silent-logger.ts';
import type { Clock, Logger } from '../base/ports.ts';
import { Authenticator, createToken } from './api/authenticator.ts';
import { createHttpServer } from './api/server.ts';
import { HubMessages } from './messages.ts';
import type { HubFigures, HubMetrics } from './metrics.ts';
import { Conversations } from './queue/conversations.ts';
import { Dispatcher } from './queue/dispatcher.ts';
import { type DailyBudgets, nextDayOf } from './queue/budgets.ts';
import { Leases } from './queue/leases.ts';
import { TaskSums } from './queue/task-sums.ts';
import { TaskQueue } from './queue/task-queue.ts';
import { defaultTimings, type QueueTimings } from './queue/timings.ts';
import { handleFrame } from './socket/frame-handlers.ts';
import { Gateway, WORKER_PATH } from './socket/gateway.ts';
import { WorkerDirectory } from './socket/worker-directory.ts';
import type { WorkerSession } from './socket/worker-session.ts';
import { openHubDatabase } from './storage/open.ts';
import type { HubDatabase } from './storage/hub-database.ts';
import { PostgresFeed } from './replicas/postgres-feed.ts';
import { defaultRetention, type HubRetention, Retention } from './storage/retention.ts';
import type { TokenRole } from './storage/tables.ts';
import { type CommitFeed, type FeedListener, HubStore } from './storage/unit-of-work.ts';
import { type Webhook, Webhooks } from './webhooks.ts';
import { Broadcaster } from './stream/broadcaster.ts';
import { EventLog } from './stream/event-log.ts';

/** Tokens that the hub accepts while it runs; not stored. `workers` is keyed by worker id. */
export interface HubTokens {
  admin?: string;
  submitter?: string;
  viewer?: string;
  workers?: Record<string, string>;
}

export interface HubOptions {
  /** Address to listen on; default: loopback only. */
  host?: string;
  /** Port to listen on; default: any free port. */
  port?: number;
  /** SQLite file, `postgres://` URL, or `:memory:` (the default). */
  database?: string;
  tokens?: HubTokens;
  /** The admin token, like `tokens.admin`; default: a new token. */
  adminToken?: string;
  /** Number of frames per minute that each worker may send; announced to the worker. Default 6000. */
  framesPerMinute?: number;
  /** Number of failed attempts after which a task is a dead letter, unless the task sets its own limit. Default 3. */
  maxAttempts?: number;
  /** Daily budgets; tasks of an exhausted budget wait for the next day. */
  dailyBudgets?: DailyBudgets;
  clock?: Clock;
  logger?: Logger;
  /** Folder of the dashboard's page; default: the shipped page; false: no dashboard. */
  dashboardDir?: string | false;
  /** True if this hub has only one worker, which then does not return its tasks while its model server is down. */
  soleWorker?: boolean;
  /** Overrides of the queue's timeouts. */
  timings?: Partial<QueueTimings>;
  /** Limits on the age and the number of ended tasks and their events. */
  retention?: Partial<HubRetention>;
  /** Receivers of a report when a task ends. */
  webhooks?: readonly Webhook[];
  /** Whether `/metrics` is served. Default true. */
  metrics?: boolean;
  /** Returns a number from 0 to below 1, for jitter. */
  random?: () => number;
}

export interface Hub {
  /** Address of the API and the dashboard: `http://host:port` */
  readonly url: string;
  /** Address for workers: `ws://host:port/ws` */
  readonly wsUrl: string;
  readonly port: number;
  /** The configured tokens; `admin` is always set. */
  readonly tokens: Required<Pick<HubTokens, 'admin'>> & HubTokens;
  /** Creates a token that survives restarts (stored as a hash). A worker's token is bound to `workerId`. */
  issueToken(role: TokenRole, workerId?: string): Promise<string>;
  /** Closes connections and streams; assignments stay in the database. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts a hub. Rejects if the database cannot be opened or the address is in use; then nothing stays open. */
export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const address = options.database ?? ':memory:';
  const database = await openHubDatabase(address, options.logger ?? silentLogger);
  const feed = createFeed(database, address, options);
  try {
    const parts = await assembleHub(
      options,
      new HubStore(
        database,
        feed,
        options.webhooks?.map(({ url }) => url),
      ),
      feed,
    );
    return await startListening(options, parts);
  } catch (error) {
    await feed.close();
    await database.close();
    throw error;
  }
}

function createFeed(database: HubDatabase, address: string, options: HubOptions): CommitFeed {
  if (database.kind === 'sqlite') return createLocalFeed();
  const { clock = systemClock, logger = silentLogger } = options;
  return new PostgresFeed({ database, address, clock, logger });
}

type HubParts = Awaited<ReturnType<typeof assembleHub>>;

async function assembleHub(options: HubOptions, store: HubStore, feed: CommitFeed) {
  const { clock = systemClock, logger = silentLogger, maxAttempts, random, dailyBudgets: budgets } = options;
  const timings = { ...defaultTimings, ...options.timings };
  if (maxAttempts !== undefined) timings.maxAttempts = maxAttempts;
  const baseOptions = { store, clock, logger, timings, budgets };
  const queue = new TaskQueue({ ...baseOptions, random });
  const leases = new Leases(baseOptions);
  const workers = new WorkerDirectory(baseOptions);
  const conversations = new Conversations(baseOptions);
  const authenticator = new Authenticator(baseOptions);
  const taskSums = new TaskSums(baseOptions);
  const events = new EventLog({ ...baseOptions, leases });
  const broadcaster = new Broadcaster();
  const retention = new Retention({ ...baseOptions, limits: { ...defaultRetention, ...options.retention } });
  const webhooks = new Webhooks({ ...baseOptions, hooks: options.webhooks ?? [] });
  const messages = new HubMessages({ ...baseOptions, workers, conversations, broadcaster });
  const dispatcher: Dispatcher = new Dispatcher({
    ...baseOptions,
    leases,
    readyWorkers: () => workers.listReady(),
    nextReadyMs: () => Math.min(workers.findNextReadyMs(), budgets ? nextDayOf(clock.now()) : Infinity),
    deliver: (given) => messages.deliver(given),
  });
  const metrics =
    options.metrics === false ? undefined : await openMetrics({ store, clock, workers, broadcaster, events });
  await feed.listen({
    onEvents: (rows) => broadcaster.publish(rows),
    onMessage: (message) => {
      if (message.kind === 'queue') void dispatcher.scheduleRun();
      else if (message.kind === 'due') dispatcher.wakeAt(message.atMs);
      else if (message.kind === 'report') webhooks.wake();
      else if (message.kind === 'token_revoked') authenticator.onRevoked(message.id);
      else messages.handle(message);
    },
    // After its reconnect, a worker gets everything that it may have missed.
    onGap: () => workers.reconnectAll(),
  });
  await leases.extendAfterOutage();
  const parts = { queue, leases, workers, conversations, authenticator, taskSums, events, broadcaster };
  return { ...baseOptions, ...parts, feed, metrics, retention, dispatcher, webhooks };
}

/** Loads the metrics package only if metrics are served. */
const openMetrics = async (figures: HubFigures): Promise<HubMetrics> =>
  (await import('./metrics.ts')).createHubMetrics(figures);

async function startListening(options: HubOptions, parts: HubParts): Promise<Hub> {
  const { clock, logger, store, feed, dispatcher, events, authenticator } = parts;
  const tokens = configureTokens(options, authenticator);
  const closing = new AbortController();
  // Each open event stream adds a listener.
  setMaxListeners(0, closing.signal);
  const dashboardDir = (options.dashboardDir ?? findDashboard()) || undefined;
  const app = createHttpServer(
    { ...parts, startedAtMs: clock.now(), closing: closing.signal },
    { version: '1', ...(dashboardDir !== undefined && { dashboardDir }) },
  );
  const { framesPerMinute = 6000, soleWorker = false } = options;
  const gateway = new Gateway({
    server: app.server,
    clock,
    logger,
    framesPerMinute,
    onFrame: (session, frame) => handleFrame({ ...parts, framesPerMinute, soleWorker }, session, frame),
    onRefused: (reason) => parts.metrics?.countRefusedFrame(reason),
    onGone: (session) => onWorkerGone(parts, session, closing.signal),
  });
  const host = options.host ?? '127.0.0.1';
  await app.listen({ host, port: options.port ?? 0 });
  const { port } = app.server.address() as AddressInfo;
  await dispatcher.sweep();
  parts.retention.start();
  parts.webhooks.wake();
  const address = formatHostAndPort(host, port);
  logger.info({ address, version: VERSION, database: store.database.kind }, 'hub ready');
  let shutdown: Promise<void> | undefined;
  return {
    url: `http://${address}`,
    wsUrl: `ws://${address}${WORKER_PATH}`,
    port,
    tokens,
    issueToken: async (role, workerId) => (await authenticator.issue({ role, workerId })).token,
    close: () => (shutdown ??= shutDown()),
  };

  async function shutDown(): Promise<void> {
    closing.abort();
    authenticator.close();
    await dispatcher.close();
    await gateway.close();
    await events.flush();
    await parts.retention.close();
    await parts.webhooks.close();
    await app.close();
    await feed.close();
    await store.database.close();
  }
}

/** Requeues the tasks of a lost connection. If the hub is closing, the tasks stay assigned for its next start. */
async function onWorkerGone(parts: HubParts, session: WorkerSession, closing: AbortSignal): Promise<void> {
  session.unwatchToken();
  const workerId = session.profile?.workerId;
  if (workerId === undefined) return;
  try {
    await parts.events.flush();
    await parts.workers.disconnect(session);
    if (closing.aborted) return;
    const lost = await parts.leases.onConnectionLost(workerId, session.sessionId);
    parts.logger.info({ agentId: workerId, lost }, 'worker disconnected');
  } catch (error) {
    // The leases remain: the tasks are requeued when they expire.
    parts.logger.error(
      { err: error, agentId: workerId },
      'the loss of a worker’s connection could not be recorded; the worker’s tasks are requeued when their leases expire',
    );
  }
}

function configureTokens(options: HubOptions, authenticator: Authenticator): Hub['tokens'] {
  const admin = options.tokens?.admin ?? options.adminToken ?? createToken('admin');
  const tokens = { ...options.tokens, admin };
  authenticator.configure(admin, 'admin');
  for (const role of ['submitter', 'viewer'] as const) {
    const token = tokens[role];
    if (token !== undefined) authenticator.configure(token, role);
  }
  for (const [workerId, token] of Object.entries(tokens.workers ?? {})) {
    authenticator.configure(token, 'worker', workerId);
  }
  return tokens;
}

/** Finds the dashboard: beside the bundle in an installed package, else in the source tree. */
function findDashboard(): string | undefined {
  const places = ['./dashboard', '../dashboard', './dashboard/page'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(`${folder}/index.html`));
}

/** Creates a feed that passes commits to the rest of the hub within one process. */
export function createLocalFeed(): CommitFeed {
  let listener: FeedListener | undefined;
  const listen = async (given?: FeedListener) => void (listener = given);
  return {
    listen,
    close: () => listen(),
    afterCommit: (events, messages) => {
      listener?.onEvents(events);
      for (const message of messages) listener?.onMessage(message);
    },
  };
}
