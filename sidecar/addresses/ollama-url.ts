/**
 * Addresses of Ollama, read as Ollama reads `OLLAMA_HOST`: `host`, `host:port`, `:port`, an IP address or a URL, in quotes
 * or not. Without a scheme the port is 11434, with one it is that of the scheme. Only http and https.
 */
import { isIPv6 } from 'node:net';

/** The advice for a text that is no address. */
export const OLLAMA_URL_ADVICE = 'write an address such as http://127.0.0.1:11434 or gpu-box:11434';
const DEFAULT_PORT = '11434';
const LOOPBACK = '127.0.0.1';

/**
 * The base URL that is meant, without a slash at its end. It keeps a user and a password, so it is not for people to see. Throws with
 * the code `config_invalid` for what is no address.
 */
export function normalizeUrl(value: string): string {
  const url = ollamaUrl(value);
  if (!url) {
    const message = `ollama.url: ${JSON.stringify(value)}: ${OLLAMA_URL_ADVICE}`;
    throw Object.assign(new TypeError(message), { code: 'config_invalid' });
  }
  // A server that listens on every address is asked on loopback.
  if (url.hostname === '0.0.0.0') url.hostname = LOOPBACK;
  const user = url.username === '' ? '' : `${url.username}${url.password && `:${url.password}`}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname.replace(/\/+$/u, '')}`;
}

/** Whether `normalizeUrl` takes it. */
export const isOllamaUrl = (value: string): boolean => ollamaUrl(value) !== undefined;

function ollamaUrl(value: string): URL | undefined {
  const text = value
    .trim()
    .replace(/^["']+|["']+$/gu, '')
    .trim();
  const hasScheme = /^[a-z]+:\/\//iu.test(text);
  const written = hasScheme ? text : `http://${hostOf(text)}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  // The parser of URLs drops port 80, so the text says whether a port was given.
  const hasPort = /:\d+$/u.test(written.replace(/^[a-z]+:\/\//iu, '').replace(/[/?#].*$/u, ''));
  if (!hasScheme && !hasPort) url.port = DEFAULT_PORT;
  return url;
}

function hostOf(text: string): string {
  if (isIPv6(text)) return `[${text}]`;
  return text.startsWith(':') ? `${LOOPBACK}${text}` : text;
}
