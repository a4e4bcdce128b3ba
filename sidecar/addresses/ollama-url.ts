/**
 * Addresses of Ollama as people, hubs and `OLLAMA_HOST` write them: `host`, `host:port`, `:port`, an IP address or a URL.
 * Only http and https.
 */
import { isIPv6 } from 'node:net';

/** The advice for a text that is no address. */
export const OLLAMA_URL_ADVICE = 'write an address such as http://127.0.0.1:11434 or gpu-box:11434';
const DEFAULT_PORT = '11434';
const LOOPBACK = '127.0.0.1';

/** The base URL that is meant, without a slash at its end. Throws with the code `config_invalid` for what is no address. */
export function normalizeUrl(value: string): string {
  const withScheme = withHttp(value.trim());
  const url = httpUrl(withScheme);
  if (!url) {
    const message = `ollama.url: ${JSON.stringify(value)}: ${OLLAMA_URL_ADVICE}`;
    throw Object.assign(new TypeError(message), { code: 'config_invalid' });
  }
  // A server that listens on every address is asked on loopback.
  if (url.hostname === '0.0.0.0') url.hostname = LOOPBACK;
  const hasPort = /:\d+$/u.test(hostPart(withScheme));
  if (!hasPort && url.protocol === 'http:') url.port = DEFAULT_PORT;
  return `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
}

/** Whether `normalizeUrl` takes it. */
export const isOllamaUrl = (value: string): boolean => httpUrl(withHttp(value.trim())) !== undefined;

function withHttp(text: string): string {
  if (/^[a-z]+:\/\//iu.test(text)) return text;
  if (isIPv6(text)) return `http://[${text}]`;
  return `http://${text.startsWith(':') ? `${LOOPBACK}${text}` : text}`;
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The text between the scheme and the path. */
function hostPart(url: string): string {
  return url.replace(/^[a-z]+:\/\//iu, '').replace(/[/?#].*$/u, '');
}
