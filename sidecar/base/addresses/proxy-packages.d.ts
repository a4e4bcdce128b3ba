/** Types of the parts of two packages that `proxy.ts` uses. */
declare module 'proxy-from-env' {
  export function getProxyForUrl(url: string): string;
}

declare module 'https-proxy-agent' {
  import type { Agent } from 'node:http';

  export const HttpsProxyAgent: new (address: string) => Agent;
}
