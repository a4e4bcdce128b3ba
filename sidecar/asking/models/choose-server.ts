/**
 * Which model server a task may use: the one that the hub picked where the operator's
 * configuration allows that host, else the configured one. A hub must not be able to point a worker at any machine.
 */
import { withoutCredentials } from '../../addresses/without-credentials.ts';
import { isOllamaUrl, normalizeUrl } from '../../addresses/ollama-url.ts';

export interface ServerPolicy {
  /** The configured server. */
  url: string;
  /** Further servers that a hub may pick: `host:port`, or `host` for Ollama's own port. */
  allowedHosts: readonly string[];
}

export interface ServerChoice {
  url: string;
  /** The hub's wish was not followed; says why. */
  refused?: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** The configured server's base URL that `selected` means, the hub's `host:port` or URL. Throws (`config_invalid`) where the configured one is none. */
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

/** Host and port have to be the same: another port of this machine may be anybody's server. */
const isSameServer = (a: URL, b: URL): boolean => sameHost(a.hostname, b.hostname) && portOf(a) === portOf(b);

function sameHost(a: string, b: string): boolean {
  return a === b || (LOOPBACK.has(a) && LOOPBACK.has(b));
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
