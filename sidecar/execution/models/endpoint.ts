/**
 * Which model server a task may use: the one that the hub picked where the operator's
 * configuration allows that host, else the configured one. A hub must not be able to point a worker at any machine.
 */
import { isOllamaUrl, normalizeUrl } from '../../addresses/ollama-url.ts';

export interface EndpointPolicy {
  /** The configured server. */
  url: string;
  /** Further `host` or `host:port` entries that a hub may pick. */
  allowedHosts: readonly string[];
}

export interface EndpointChoice {
  url: string;
  /** The hub's wish was not followed; says why. */
  refused?: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Picks the server's base URL for `selected`, the hub's `host:port` or URL. Throws (`config_invalid`) where the configured one is none. */
export function chooseEndpoint(selected: string | undefined, policy: EndpointPolicy): EndpointChoice {
  const configured = normalizeUrl(policy.url);
  if (!selected) return { url: configured };
  if (!isOllamaUrl(selected))
    return { url: configured, refused: `selected_endpoint "${selected}" is not a host:port` };
  const wanted = new URL(normalizeUrl(selected));
  if (isAllowed(wanted, new URL(configured), policy.allowedHosts)) return { url: wanted.origin };
  return {
    url: configured,
    refused: `selected_endpoint ${wanted.host} is not in ollama.allowedHosts; using ${configured}`,
  };
}

function isAllowed(wanted: URL, configured: URL, allowedHosts: readonly string[]): boolean {
  if (sameHost(wanted.hostname, configured.hostname)) return true;
  return allowedHosts.some((entry) => entry === wanted.host || entry === wanted.hostname);
}

function sameHost(a: string, b: string): boolean {
  return a === b || (LOOPBACK.has(a) && LOOPBACK.has(b));
}
