/**
 * Which model server a task may use (agent.md, Routing): the one that the hub picked where the operator's
 * configuration allows that host, else the configured one. A hub must not be able to point a worker at any machine.
 */
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

const DEFAULT_PORT = '11434';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Picks the server's base URL for `selected`, the hub's `host:port` or URL. */
export function chooseEndpoint(selected: string | undefined, policy: EndpointPolicy): EndpointChoice {
  const configured = normalizeUrl(policy.url);
  if (!selected) return { url: configured };
  let wanted: URL;
  try {
    wanted = new URL(normalizeUrl(selected));
  } catch {
    return { url: configured, refused: `selected_endpoint "${selected}" is not a host:port` };
  }
  if (isAllowed(wanted, new URL(configured), policy.allowedHosts)) return { url: wanted.origin };
  return {
    url: configured,
    refused: `selected_endpoint ${wanted.host} is not in ollama.allowedHosts; using ${configured}`,
  };
}

/** `host`, `host:port`, `:port` or a URL, as `OLLAMA_HOST` and hubs write it, to a base URL. Throws for what is none. */
export function normalizeUrl(value: string): string {
  const text = value.trim();
  const withScheme = /^[a-z]+:\/\//iu.test(text)
    ? text
    : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`not an http address: ${value}`);
  // A server that listens on every address is asked on loopback.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  const hasPort = /:\d+$/u.test(hostPart(withScheme));
  if (!hasPort && url.protocol === 'http:') url.port = DEFAULT_PORT;
  return `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
}

/** What stands between the scheme and the path. */
function hostPart(url: string): string {
  return url.replace(/^[a-z]+:\/\//iu, '').replace(/[/?#].*$/u, '');
}

function isAllowed(wanted: URL, configured: URL, allowedHosts: readonly string[]): boolean {
  if (sameHost(wanted.hostname, configured.hostname)) return true;
  return allowedHosts.some((entry) => entry === wanted.host || entry === wanted.hostname);
}

function sameHost(a: string, b: string): boolean {
  return a === b || (LOOPBACK.has(a) && LOOPBACK.has(b));
}
