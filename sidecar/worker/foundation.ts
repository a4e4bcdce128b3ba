/**
 * What a worker stands on before it is put together: settings, durable state, catalogue, who it is. Order matters: the
 * lock before the databases, and processes of an earlier life ended before its tasks are taken up again.
 */
import { join } from 'node:path';
import { userConfigDir } from '../config/layers.ts';
import type { Config } from '../config/schema.ts';
import type { WorkerIdentity } from '../hub-link/types.ts';
import { ModelCatalog } from '../model/catalog.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { Scheduler } from '../model/servers/scheduler.ts';
import { configuredServers } from '../model/servers/server-settings.ts';
import { createSecretMasker, isSecretName, type SecretMasker } from '../observability/secrets.ts';
import type { Clock, Logger, ModelServer } from '../ports.ts';
import type { CleanupStack } from '../system/cleanup-stack.ts';
import { systemClock } from '../system/clock.ts';
import { openDurableState, type DurableState } from './durable-state.ts';
import { workerFolders, type Folders } from './folders.ts';
import { sandboxLabel, workerIdentity } from './identity.ts';
import { endOrphans } from './orphans.ts';

export interface StartWorkerOptions {
  /** What is known of models; default: the shipped catalogue and the user's `models.json`. */
  catalog?: ModelCatalog;
  /** With `hub.url`, `hub.agentId` and `hub.token` set. */
  config: Config;
  logger: Logger;
  masker?: SecretMasker;
  clock?: Clock;
  /** Another model server than Ollama at `ollama.url`, such as a recorded session. */
  createServer?: (baseUrl: string) => ModelServer;
}

export interface Foundation {
  config: Config;
  logger: Logger;
  clock: Clock;
  folders: Folders;
  state: DurableState;
  catalog: ModelCatalog;
  masker: SecretMasker;
  createServer: (baseUrl: string) => ModelServer;
  /** Which model servers are up, and who is asked when. */
  scheduler: Scheduler;
  identity: WorkerIdentity;
  /** Commands run in bubblewrap. */
  sandboxed: boolean;
}

/** Throws a failure with a code: `config_invalid`, `storage_…`, `sandbox_unavailable`. */
export async function openFoundation(options: StartWorkerOptions, opened: CleanupStack): Promise<Foundation> {
  const { config, logger, clock = systemClock } = options;
  const { createServer = (baseUrl: string) => createOllamaServer({ baseUrl, clock }) } = options;
  await checkToolSettings(config);
  const folders = workerFolders(config.worker);
  // Both wait for others, while the databases are opened here.
  const sandbox = sandboxLabel(config);
  const servers = configuredServers(config.ollama);
  const urls = servers.map(({ url }) => url);
  const identity = workerIdentity(config, urls, createServer);
  sandbox.catch(() => 'told where it is awaited');
  const state = openDurableState(folders, clock, opened);
  const catalog = options.catalog ?? (await userCatalog());
  const masker = options.masker ?? createSecretMasker([config.hub.token]);
  for (const secret of serverSecrets(config)) masker.add(secret);
  const label = await sandbox;
  // Only an unfinished task can have left processes behind; looking at all processes is not free.
  if (state.records.unfinished().length > 0) await endOrphans(folders, logger);
  return {
    config,
    logger,
    clock,
    folders,
    state,
    catalog,
    masker,
    createServer,
    scheduler: new Scheduler({
      createServer,
      clock,
      logger,
      servers,
      maxPassedOverMs: config.worker.maxPassedOverMs,
    }),
    identity: { ...(await identity), sandbox: label },
    sandboxed: label === 'bubblewrap',
  };
}

/** The tools' own modules are read at a start only where something is said of tools. */
async function checkToolSettings(config: Config): Promise<void> {
  const { own, only, disabled } = config.tools;
  if (own.length + disabled.length === 0 && !only) return;
  const { checkTools } = await import('../task/toolset/check-tools.ts');
  checkTools(config);
}

/** What MCP servers are given to know this worker by. */
function serverSecrets({ tools }: Config): string[] {
  return Object.values(tools.mcp).flatMap(({ env, headers }) => [
    ...Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']),
    ...Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
  ]);
}

const userCatalog = (): Promise<ModelCatalog> =>
  ModelCatalog.load({ userFile: join(userConfigDir(), 'models.json') });
