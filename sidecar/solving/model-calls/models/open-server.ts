/**
 * Chooses the model server of a task: the hub's choice if the operator's configuration allows its host, otherwise the configured servers. A
 * hub must not be able to direct a worker to an arbitrary machine.
 */
import { isOllamaUrl, normalizeOllamaUrl } from '../../../base/addresses/ollama-url.ts';
import { removeCredentials } from '../../../base/addresses/credentials.ts';
import { createOllamaServer } from '../../../model/ollama-server.ts';
import type { ServerHold } from '../../../model/retry.ts';
import type { Scheduler } from '../../../model/servers/scheduler.ts';
import { listConfiguredServers, type ServerSettings } from '../../../model/servers/server-settings.ts';
import { TaskServer } from '../../../model/servers/task-server.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { createServerHold } from './server-hold.ts';
import type { ModelServer } from '../../../model/chat.ts';

export interface ServerSource {
  /** Server of tasks that name no server; if undefined, the configured servers. */
  url?: string;
  createServer?: (baseUrl: string) => ModelServer;
  /** Scheduler that all tasks share. */
  scheduler: Scheduler;
  /** Whether tasks wait on hold while no server is up; otherwise they fail. */
  putsTasksOnHold: boolean;
}

export interface OpenedServer {
  server: ModelServer;
  /** Returns the number of calls that the server answers in parallel. */
  slots: () => number;
  hold?: ServerHold;
}

/** Opens the server of the task. Its calls are recorded and traced. `isReplaced`: the hub's choice was refused. */
export function openServer(run: TaskRun, source: ServerSource): OpenedServer & { isReplaced: boolean } {
  const { task, config, emit } = run;
  const hubChoice = task.routing_decision?.selected_endpoint;
  const { slots } = config.ollama;
  const servers = listConfiguredServers(
    source.url === undefined ? config.ollama : { url: source.url, slots },
  );
  const choice = chooseServer(hubChoice, {
    url: source.url ?? servers[0]?.url ?? config.ollama.url,
    allowedHosts: [...config.ollama.allowedHosts, ...servers.map(({ url }) => url)],
  });
  if (choice.refusal) emit({ event_type: 'status', text: choice.refusal });
  const isConfigured = servers.some(({ url }) => url === choice.url);
  const usableServers = isConfigured ? servers : [{ url: choice.url, slots: 1 }];
  const preferredUrl = isConfigured && hubChoice && !choice.refusal ? choice.url : undefined;
  return {
    ...openTaskServer(run, source, usableServers, preferredUrl),
    isReplaced: choice.refusal !== undefined,
  };
}

/** Opens the server of the task. `preferredUrl`: the hub's choice, which is asked first. */
function openTaskServer(
  run: TaskRun,
  source: ServerSource,
  servers: readonly ServerSettings[],
  preferredUrl: string | undefined,
): OpenedServer {
  let resume = (): void => undefined;
  const server = new TaskServer({
    taskId: run.task.task_id,
    servers,
    scheduler: source.scheduler,
    clock: run.clock,
    preferredUrl,
    isNamed: run.task.routing_decision?.selected_model !== undefined,
    createServer: (url) => {
      const modelServer =
        source.createServer?.(url) ?? createOllamaServer({ baseUrl: url, clock: run.clock });
      return run.trace?.traceServer(modelServer, url) ?? modelServer;
    },
    onMove: (url) =>
      run.emit({
        event_type: 'status',
        text: `The task now uses the model server ${removeCredentials(url)}`,
      }),
    // Waiting for other tasks does not use the task's own time.
    onStalled: (isStalled) => {
      if (isStalled) resume = run.control.pauseWallClock();
      else resume();
    },
  });
  return {
    server: run.session?.record(server) ?? server,
    slots: () => server.slots,
    ...(source.putsTasksOnHold && { hold: createServerHold(run, server) }),
  };
}

interface ServerPolicy {
  /** URL of the configured server. */
  url: string;
  /** Additional servers that a hub may select: `host:port`, or `host` for Ollama's default port. */
  allowedHosts: readonly string[];
}

interface ServerChoice {
  url: string;
  /** Reason why the hub's choice was refused. */
  refusal?: string;
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * Returns the base URL of the allowed server that `selected` names (a `host:port` or a URL from the hub), or else of the configured server.
 * Throws `config_invalid` if the configured URL is invalid.
 */
export function chooseServer(selected: string | undefined, policy: ServerPolicy): ServerChoice {
  const configured = normalizeOllamaUrl(policy.url);
  if (!selected) return { url: configured };
  if (!isOllamaUrl(selected))
    return {
      url: configured,
      refusal: `selected_endpoint "${selected}" is not a host:port; using ${removeCredentials(configured)}`,
    };
  const selectedUrl = new URL(normalizeOllamaUrl(selected));
  const allowedUrls = policy.allowedHosts.filter(isOllamaUrl).map(normalizeOllamaUrl);
  const url = [configured, ...allowedUrls].find((server) => isSameServer(selectedUrl, new URL(server)));
  if (url !== undefined) return { url };
  return {
    url: configured,
    refusal: `selected_endpoint ${selectedUrl.host} is not in ollama.allowedHosts; using ${removeCredentials(configured)}`,
  };
}

/** Returns whether host and port are the same. Another port of this machine may be another user's server. */
const isSameServer = (a: URL, b: URL): boolean =>
  isSameHost(a.hostname, b.hostname) && portOf(a) === portOf(b);

function isSameHost(a: string, b: string): boolean {
  return a === b || (LOOPBACK_HOSTS.has(a) && LOOPBACK_HOSTS.has(b));
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
