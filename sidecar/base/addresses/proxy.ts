/** Finds the proxy for a hub in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`. */
import type { Agent } from 'node:http';
import { createCodedError } from '../values/errors.ts';
import { isLoopback } from './hub-url.ts';

export interface Proxy {
  /** Agent that opens connections through the proxy, with CONNECT. */
  agent: Agent;
  /** Address of the proxy, without user and password. */
  address: string;
}

const PROXY_VARIABLE = /^(?:https?|all)_proxy$/i;

/**
 * Returns the proxy for an HTTP or WebSocket address, or undefined for a direct connection. Addresses of this machine never use a proxy.
 * Throws an error with the code `hub_proxy_invalid`.
 */
export async function findProxy(url: URL): Promise<Proxy | undefined> {
  const isSet = Object.entries(process.env).some(([name, value]) => value && PROXY_VARIABLE.test(name));
  if (!isSet || isLoopback(url.hostname)) return undefined;
  const { getProxyForUrl } = await import('proxy-from-env');
  const proxyText = getProxyForUrl(url.href.replace(/^ws/iu, 'http'));
  if (proxyText === '') return undefined;
  // A proxy address without a scheme means HTTP. The package would instead use the scheme of the requested address.
  const lacksScheme = Object.values(process.env).includes(proxyText.replace(/^https?:\/\//u, ''));
  const address = lacksScheme ? proxyText.replace(/^https:/u, 'http:') : proxyText;
  if (!/^https?:$/u.test(URL.canParse(address) ? new URL(address).protocol : '')) {
    throw createCodedError(
      'hub_proxy_invalid',
      `The proxy ${hideCredentials(address)} from the environment is not an http or https address, so the hub at ${url.host} cannot be reached through it. Set HTTPS_PROXY to http://host:port, or add the hub to NO_PROXY`,
    );
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return { agent: new HttpsProxyAgent(address), address: hideCredentials(address) };
}

/** Returns a proxy's address without user and password. */
const hideCredentials = (address: string): string =>
  URL.canParse(address) ? `${new URL(address).protocol}//${new URL(address).host}` : address;

/** Describes a proxy as part of a message; returns an empty text for a direct connection. */
export const describeProxy = (proxy: Proxy | undefined): string =>
  proxy ? ` through the proxy ${proxy.address}` : '';
