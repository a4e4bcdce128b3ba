/**
 * Chooses the model server of a task: the hub's choice if the operator's configuration allows that host, else the configured servers. A hub
 * must not be able to point a worker at any machine.
 */
import { isOllamaUrl, normalizeUrl } from '../../../base/addresses/ollama-url.ts';
import { withoutCredentials } from '../../../base/addresses/without-credentials.ts';
import { createOllamaServer } from '../../../model/ollama-server.ts';
import type { ServerHold } from '../../../model/retry.ts';
import type { Scheduler } from '../../../model/servers/scheduler.ts';
import { configuredServers, type ServerSettings } from '../../../model/servers/server-settings.ts';
import { TaskServer } from '../../../model/servers/task-server.ts';
import type { TaskRun } from '../../task/task-run.ts';
import { createServerHold } from './server-hold.ts';
import type { ModelServer } from '../../../model/chat.ts';

export interface ServerSource {
  /** Server of tasks that name none; if undefined, the configured ones. */
  url?: string;
  createServer?: (baseUrl: string) => ModelServer;
  /** Shared by all tasks. */
  scheduler: Scheduler;
  /** Whether tasks are on hold while no server is up; otherwise they fail. */
  holds: boolean;
}

export interface AskedServer {
  server: ModelServer;
  /** Returns the number of calls that the server answers in parallel. */
  slots: () => number;
  hold?: ServerHold;
}

/** Opens the server of the task, with its calls recorded and traced. `isReplaced`: the hub's choice was refused. */
export function openServer(run: TaskRun, source: ServerSource): AskedServer & { isReplaced: boolean } {
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

/** Opens the server of the task. `preferred`: the server to begin with, chosen by the hub. */
function openTaskServer(
  run: TaskRun,
  source: ServerSource,
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
    isNamed: run.task.routing_decision?.selected_model !== undefined,
    createServer: (url) => {
      const made = source.createServer?.(url) ?? createOllamaServer({ baseUrl: url, clock: run.clock });
      return run.trace?.watch(made, url) ?? made;
    },
    onMove: (url) =>
      run.emit({ event_type: 'status', text: `The model server is now ${withoutCredentials(url)}` }),
    // Waiting for other tasks does not use the task's own time.
    onStalled: (isStalled) => {
      if (isStalled) resume = run.control.pauseWallClock();
      else resume();
    },
  });
  return {
    server: run.session?.record(server) ?? server,
    slots: () => server.slots,
    ...(source.holds && { hold: createServerHold(run, server) }),
  };
}

interface ServerPolicy {
  /** URL of the configured server. */
  url: string;
  /** Further servers that a hub may pick: `host:port`, or `host` for Ollama's own port. */
  allowedHosts: readonly string[];
}

interface ServerChoice {
  url: string;
  /** Reason why the hub's choice was refused. */
  refused?: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * Returns the base URL of the allowed server that `selected` (the hub's `host:port` or URL) means, else the configured one. Throws
 * `config_invalid` if the configured URL is invalid.
 */
export function chooseServer(selected: string | undefined, policy: ServerPolicy): ServerChoice {
  const configured = normalizeUrl(policy.url);
  if (!selected) return { url: configured };
  if (!isOllamaUrl(selected))
    return { url: configured, refused: `selected_endpoint "${selected}" is not a host:port` };
  const wanted = new URL(normalizeUrl(selected));
  const allowed = policy.allowedHosts.filter(isOllamaUrl).map(normalizeUrl);
  const url = [configured, ...allowed].find((server) => isSameServer(wanted, new URL(server)));
  if (url !== undefined) return { url };
  return {
    url: configured,
    refused: `selected_endpoint ${wanted.host} is not in ollama.allowedHosts; using ${withoutCredentials(configured)}`,
  };
}

/** Returns whether host and port are the same, since another user's server may use another port of this machine. */
const isSameServer = (a: URL, b: URL): boolean => sameHost(a.hostname, b.hostname) && portOf(a) === portOf(b);

function sameHost(a: string, b: string): boolean {
  return a === b || (LOOPBACK.has(a) && LOOPBACK.has(b));
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
