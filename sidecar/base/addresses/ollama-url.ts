/**
 * Parses addresses of Ollama like `OLLAMA_HOST`: `host`, `host:port`, `:port`, an IP address or a URL, optionally quoted.
 * Without a scheme, the default port is 11434; otherwise it is the scheme's. Accepts only http and https.
 */
import { isIPv6 } from 'node:net';

/** Advice for users whose address of Ollama is invalid. */
export const OLLAMA_URL_ADVICE = 'write an address such as http://127.0.0.1:11434 or gpu-box:11434';
const DEFAULT_PORT = '11434';
const LOOPBACK = '127.0.0.1';

/**
 * Returns the base URL without a trailing slash. The URL includes user and password, so it must not be shown. Throws an error with the code
 * `config_invalid` for an invalid address.
 */
export function normalizeOllamaUrl(value: string): string {
  const url = parseOllamaUrl(value);
  if (!url) {
    const message = `ollama.url: ${JSON.stringify(value)}: ${OLLAMA_URL_ADVICE}`;
    throw Object.assign(new TypeError(message), { code: 'config_invalid' });
  }
  // The address 0.0.0.0 means that a server listens on every address, including loopback.
  if (url.hostname === '0.0.0.0') url.hostname = LOOPBACK;
  const user = url.username === '' ? '' : `${url.username}${url.password && `:${url.password}`}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname.replace(/\/+$/u, '')}`;
}

/** Returns whether `normalizeOllamaUrl` accepts the address. */
export const isOllamaUrl = (value: string): boolean => parseOllamaUrl(value) !== undefined;

function parseOllamaUrl(value: string): URL | undefined {
  const text = value
    .trim()
    .replace(/^["']+|["']+$/gu, '')
    .trim();
  const hasScheme = /^[a-z]+:\/\//iu.test(text);
  const urlText = hasScheme ? text : `http://${hostOf(text)}`;
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  // The URL parser drops port 80, so the port is searched for in the text.
  const hasPort = /:\d+$/u.test(urlText.replace(/^[a-z]+:\/\//iu, '').replace(/[/?#].*$/u, ''));
  if (!hasScheme && !hasPort) url.port = DEFAULT_PORT;
  return url;
}

function hostOf(text: string): string {
  if (isIPv6(text)) return `[${text}]`;
  return text.startsWith(':') ? `${LOOPBACK}${text}` : text;
}
